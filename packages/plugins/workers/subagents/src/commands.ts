/** `tenon agents list` and `tenon agents show`. */
import type { CommandCall } from '@tenon/command-line/api';
import { cutText, plainLine, plainText } from '@tenon/wording';
import type { AgentBook, KnownAgent } from './definitions.ts';
import { ownToolNames } from './tool-names.ts';

const MAX_DESCRIPTION = 100;

/** Lists the subagents of the folder. */
export async function listAgents(book: AgentBook, { io, flags, cwd, signal }: CommandCall): Promise<void> {
  const all = await book.list(cwd, signal);
  if (flags['json'] === true) return io.json({ agents: all.map(factsOf) });
  const width = Math.min(40, Math.max(0, ...all.map(({ name }) => name.length)));
  for (const { name, description, from, model, disabledBy } of all) {
    const more = [
      from,
      ...(model === undefined ? [] : [`model ${model}`]),
      ...(disabledBy === undefined ? [] : [`switched off by "${disabledBy}"`]),
    ];
    const about = `${plainLine(cutText(description, MAX_DESCRIPTION))} (${plainLine(more.join(', '))})`;
    await io.out(`${plainLine(name).padEnd(width)}  ${about}\n`);
  }
}

/** Shows one definition. */
export async function showAgent(book: AgentBook, { io, args, flags, cwd, signal }: CommandCall): Promise<void> {
  const agent = await book.get(String(args['name']), cwd, signal);
  const facts = factsOf(agent);
  if (flags['json'] === true)
    return io.json({ ...facts, systemPrompt: agent.systemPrompt, output: agent.output ?? null });
  const { tools, problems } = facts;
  const lines = [
    `${agent.name}: ${agent.description}`,
    `from: ${agent.path === '' ? 'Tenon' : `${agent.path} (${agent.from})`}`,
    `tools: ${tools === null ? 'those of the agent that starts it' : tools.join(', ')}`,
    ...problems.map((problem) => `note: ${problem}`),
    `model: ${agent.model ?? 'that of the agent that starts it'}${agent.thinking === undefined ? '' : `, thinking ${agent.thinking}`}`,
    `starts: ${(agent.spawns ?? []).join(', ') || 'no others'}`,
    ...(agent.output === undefined ? [] : ['result: data by a schema (--json shows it)']),
  ];
  await io.out(`${lines.map(plainLine).join('\n')}\n\n${plainText(agent.systemPrompt)}\n`);
}

function factsOf(agent: KnownAgent) {
  const named = agent.tools && ownToolNames(agent.tools);
  return {
    name: agent.name,
    description: agent.description,
    from: agent.from,
    path: agent.path === '' ? null : agent.path,
    tools: named?.names ?? null,
    problems: named?.problems ?? [],
    model: agent.model ?? null,
    thinking: agent.thinking ?? null,
    spawns: agent.spawns ?? [],
    hasSchema: agent.output !== undefined,
    disabledBy: agent.disabledBy ?? null,
  };
}
