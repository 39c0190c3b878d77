/** The parts of the status line that come with Tenon. */
import type { AgentSession } from '@tenon/agent/api';
import { plainLine } from '@tenon/wording';
import type { StatusItem } from '@tenon/screen-slots/api';
import { shortFolder } from '../short-folder.ts';

/** What some parts have to be told. */
export interface StatusFacts {
  branch(): string | undefined;
  sandbox(): string | undefined;
  isPlanning(): boolean;
}

const short = (tokens: number): string =>
  tokens < 1_000
    ? String(tokens)
    : tokens < 1_000_000
      ? `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`
      : `${(tokens / 1_000_000).toFixed(1)}M`;

function contextShare({ state }: AgentSession): number {
  return state.model.contextWindow > 0 ? state.contextTokens / state.model.contextWindow : 0;
}

/** The parts by name; `side` and order are in the manifest. */
export function builtInItems(facts: StatusFacts): Readonly<Record<string, StatusItem>> {
  return {
    model: {
      text: ({ agent, theme }) => {
        const { model, thinking } = agent.state;
        const level = model.reasoning && thinking !== 'off' ? theme.fg('muted', ` (${thinking})`) : '';
        return theme.fg('accent', plainLine(model.id)) + level;
      },
    },
    context: {
      text: ({ agent, theme }) => {
        const share = contextShare(agent);
        const color = share >= 0.9 ? 'error' : share >= 0.7 ? 'warning' : 'muted';
        const { contextTokens, model } = agent.state;
        return theme.fg(
          color,
          `${Math.round(share * 100)}% of ${short(model.contextWindow)}${contextTokens === 0 ? '' : ` (${short(contextTokens)})`}`,
        );
      },
    },
    cost: {
      text: ({ agent, theme }) => {
        const { cost, totalTokens } = agent.usage();
        if (totalTokens === 0) return undefined;
        return theme.fg(
          'muted',
          cost.total > 0 ? `$${cost.total.toFixed(cost.total < 1 ? 3 : 2)}` : `${short(totalTokens)} tokens`,
        );
      },
    },
    plan: { text: ({ theme }) => (facts.isPlanning() ? theme.fg('warning', 'planning') : undefined) },
    folder: { text: ({ agent, theme }) => theme.fg('muted', plainLine(shortFolder(agent.cwd))) },
    branch: {
      text: ({ theme }) => {
        const branch = facts.branch();
        return branch === undefined ? undefined : theme.fg('muted', plainLine(branch));
      },
    },
    sandbox: {
      text: ({ theme }) => {
        const profile = facts.sandbox();
        if (profile === undefined) return undefined;
        return profile === 'full' ? theme.fg('warning', 'no sandbox') : theme.fg('muted', profile);
      },
    },
    session: {
      text: ({ agent, theme }) => {
        const { title } = agent.session.header;
        return title === undefined ? undefined : theme.fg('muted', plainLine(title));
      },
    },
  };
}
