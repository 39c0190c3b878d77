/** Subagents that can be used in the folder, and what their definitions say. */
import { plainLine } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { closingHints, ListPicker } from './list-picker.ts';
import { runInside } from './run-inside.ts';
import { showText } from './show-text.ts';
import { reporting } from './small-dialogs.ts';

/** What `tenon agents list --json` says about one. */
interface AgentRow {
  readonly name: string;
  readonly description: string;
  readonly from: string;
  readonly path: string | null;
  readonly model: string | null;
  readonly tools: readonly string[] | null;
  readonly disabledBy: string | null;
}

/** Lists them; Enter shows a definition. */
export async function openAgents(seat: Seat): Promise<void> {
  const found = await reporting(seat, () => runInside(seat, ['agents', 'list', '--json']));
  if (!found) return;
  const { agents } = found.json as { readonly agents: readonly AgentRow[] };
  const picker = new ListPicker<AgentRow>(seat, {
    title: 'Subagents',
    items: agents.map(asItem),
    preview: async (agent) => aboutRows(agent),
    previewRows: 4,
    footer: () => closingHints(seat, 'read the definition', 'close'),
  });
  for (;;) {
    const chosen = (await picker.next())?.item?.value;
    if (!chosen) return;
    const shown = await reporting(seat, () => runInside(seat, ['agents', 'show', '--', chosen.name]));
    if (shown) await showText(seat, plainLine(chosen.name), shown.out, 'top');
  }
}

function asItem(agent: AgentRow) {
  const { name, description, from, disabledBy } = agent;
  return {
    value: agent,
    label: plainLine(name),
    detail: plainLine(description),
    hint: plainLine(from),
    isMuted: disabledBy !== null,
  };
}

function aboutRows({ description, path, model, tools, disabledBy }: AgentRow): string[] {
  return [
    description,
    `model: ${model ?? 'that of the agent'}; tools: ${tools === null ? 'those of the agent' : tools.join(', ')}`,
    path ?? '',
    disabledBy === null ? '' : `switched off by "${disabledBy}"`,
  ]
    .filter((row) => row !== '')
    .map(plainLine);
}
