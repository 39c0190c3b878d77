/** `tenon agents list`, `tenon agents show` and `tenon agents gc`. */
import type { CommandCall } from '@tenon/command-line/api';
import { cutText, plainLine, plainText } from '@tenon/wording';
import type { AgentBook, KnownAgent } from './definitions.ts';
import { type IsolationFolders, keptPatches, sweepWorkspaces } from './isolation/api.ts';
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

/** Removes copies of the repository that killed processes left, and shows where work of subagents is kept. */
export async function collectCopies(folders: IsolationFolders, { io, flags }: CommandCall): Promise<void> {
  const copies = await sweepWorkspaces(folders);
  const patches = keptPatches(folders);
  if (flags['json'] === true) return io.json({ copies, patches });
  for (const { name, isRemoved, reason, kept } of copies) {
    const work = kept === undefined ? 'nothing in it was changed' : `its work is in ${kept}`;
    await io.out(`${plainLine(`${name}: ${isRemoved ? `removed, ${work}` : `stays, ${reason ?? ''}`}`)}\n`);
  }
  if (copies.length === 0) await io.out('No copies were left behind.\n');
  if (patches.length === 0) return;
  await io.out(
    'Work of subagents that was not merged (`git apply --3way FILE` tries it again; delete what you do not need):\n',
  );
  for (const { file, time } of patches) await io.out(`  ${plainLine(file)}  ${time.slice(0, 16).replace('T', ' ')}\n`);
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
