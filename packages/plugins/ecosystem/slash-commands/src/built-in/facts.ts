/** Commands that tell: `/help`, `/status`, `/cost`. */
import type { AgentSession } from '@tenon/agent/api';
import { counted, plainLine } from '@tenon/wording';
import type { SlashCommandInfo, SlashOutcome } from '../api.ts';
import { BUILT_IN } from './provider.ts';

const handled = (lines: readonly string[]): SlashOutcome => ({ kind: 'handled', text: lines.join('\n') });
const number = (value: number): string => value.toLocaleString('en-US');

/** What lists say about whose a command is. */
export function whose({ kind, family, level, bundle, shadows }: SlashCommandInfo): string {
  const words = [kind, family, level, bundle, shadows === undefined ? undefined : `in place of the ${shadows} one`];
  return words.filter(Boolean).join(', ');
}

/** The name with what may follow it. */
export function titleOf({ name, argumentHint }: SlashCommandInfo): string {
  return plainLine(`/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`);
}

/** The commands, those of Tenon first. */
export function help(all: readonly SlashCommandInfo[]): SlashOutcome {
  const width = Math.min(32, Math.max(0, ...all.map((info) => titleOf(info).length)));
  const line = (info: SlashCommandInfo) => {
    const note = info.kind === BUILT_IN ? '' : ` (${whose(info)})`;
    return `  ${titleOf(info).padEnd(width)}  ${plainLine(info.description ?? '')}${note}`;
  };
  const own = all.filter(({ kind }) => kind === BUILT_IN);
  const others = all.filter(({ kind }) => kind !== BUILT_IN);
  return handled([
    'Commands of Tenon:',
    ...own.map(line),
    ...(others.length === 0 ? [] : ['Commands from files, skills and plugins:', ...others.map(line)]),
    'Anything else goes to the model. Put a space before the slash to send it as ordinary text.',
  ]);
}

/** Where the session stands. */
export function status(agent: AgentSession, isPlanning: boolean): SlashOutcome {
  const { session, state, cwd } = agent;
  const { model, thinking, contextTokens, messageCount, tools, queuedMessages, autoCompaction } = state;
  const share = Math.round((contextTokens / model.contextWindow) * 100);
  return handled([
    `Session:  ${session.id}${session.file === undefined ? ' (in memory; it ends with the program)' : ''}`,
    ...(session.file === undefined ? [] : [`File:     ${session.file}`]),
    `Folder:   ${cwd}`,
    `Model:    ${model.provider}/${model.id}${model.reasoning ? `, thinking ${thinking}` : ''}`,
    `Context:  about ${number(contextTokens)} of ${number(model.contextWindow)} tokens (${share} %), ${counted(messageCount, 'message')}; summarized ${autoCompaction ? 'when it is full' : 'only by /compact'}`,
    `Tools:    ${tools.length}`,
    `Planning: ${isPlanning ? 'on; /plan approve or /plan off ends it' : 'off'}`,
    ...(queuedMessages > 0 ? [`Waiting:  ${counted(queuedMessages, 'message')}`] : []),
  ]);
}

/** What the session has used so far. */
export function cost(agent: AgentSession): SlashOutcome {
  const { input, output, cacheRead, cacheWrite, reasoning, totalTokens, cost: spent } = agent.usage();
  const { id, price: known } = agent.state.model;
  return handled([
    `Tokens:   ${number(totalTokens)}: ${number(input)} in, ${number(output)} out${reasoning === undefined ? '' : ` (${number(reasoning)} of them thinking)`}, ${number(cacheRead)} read from the cache, ${number(cacheWrite)} written to it`,
    known === undefined && spent.total === 0
      ? `Cost:     no price is known for ${id}`
      : `Cost:     $${spent.total.toFixed(4)} by list prices`,
    'All sessions together: `tenon stats`.',
  ]);
}
