/** `tenon memory …`: looks at what is remembered, and forgets. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { counted, cutText, plainLine } from '@tenon/wording';
import type { Fact, Memory, MemoryScope } from '../api.ts';
import { errors } from '../errors.ts';

const scopesOf = ({ flags }: CommandCall): readonly MemoryScope[] =>
  flags['scope'] === 'project' || flags['scope'] === 'user' ? [flags['scope']] : ['project', 'user'];

/** Lists facts, or those that fit words. */
export async function listFacts(memory: Memory, call: CommandCall): Promise<void> {
  const { args, flags, io, cwd, signal } = call;
  const query = Array.isArray(args['words']) ? args['words'].join(' ') : '';
  const limit = Math.max(1, Number(flags['limit'] ?? 50) || 50);
  const scopes = scopesOf(call);
  const all =
    query === ''
      ? await memory.list(cwd, scopes)
      : (await memory.recall(cwd, query, { scopes, limit, signal })).map(({ fact }) => fact);
  const facts = all.slice(0, limit);
  if (flags['json'] === true) return io.json({ facts, total: all.length });
  if (facts.length === 0) return io.out(`Nothing is remembered${query === '' ? ' here' : ' that fits'}.\n`);
  for (const fact of facts) await io.out(`${line(fact, io.width)}\n`);
  if (all.length > facts.length) await io.out(`… and ${all.length - facts.length} more: --limit ${all.length}\n`);
}

/** Everything about one fact. */
export async function showFact(memory: Memory, { args, flags, io, cwd }: CommandCall): Promise<void> {
  const fact = await memory.find(cwd, String(args['id'] ?? ''));
  if (flags['json'] === true) return io.json(fact);
  await io.out(`${plainLine(fact.text)}\n\n`);
  await io.out(
    `  id       ${fact.id}\n  bank     ${fact.scope}\n  source   ${fact.source}\n  used     ${counted(fact.uses, 'time')}\n`,
  );
  for (const { at, source, session, entry, context } of fact.mentions) {
    const where =
      session === undefined ? 'by hand' : `session ${session}${entry === undefined ? '' : `, entry ${entry}`}`;
    await io.out(
      `  said     ${at}  ${source}, ${plainLine(where)}${context === undefined ? '' : `: ${plainLine(context)}`}\n`,
    );
  }
}

/** Removes facts for good. */
export async function forgetFacts(memory: Memory, call: CommandCall): Promise<number> {
  const { args, flags, io, cwd } = call;
  const ids = Array.isArray(args['ids']) ? args['ids'] : [];
  const isAll = flags['all'] === true;
  if (isAll === ids.length > 0 || (isAll && flags['scope'] === undefined)) throw errors.create('MEMORY_FORGET_WHAT');
  const facts = isAll
    ? await memory.list(cwd, scopesOf(call))
    : await Promise.all(ids.map((id) => memory.find(cwd, id)));
  if (isAll && facts.length > 0 && flags['yes'] !== true) {
    const answer = await io.ask?.(`Forget ${counted(facts.length, 'fact')}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw errors.create('MEMORY_NOT_SURE');
  }
  const removed = await memory.forget(cwd, facts);
  if (flags['json'] === true) await io.json({ forgotten: facts.map(({ id }) => id), count: removed });
  else await io.out(`${counted(removed, 'fact')} forgotten.\n`);
  return EXIT.ok;
}

/** Writes all facts down, with where they are from. */
export async function exportFacts(memory: Memory, call: CommandCall): Promise<void> {
  const { flags, io, cwd } = call;
  const facts = await memory.list(cwd, scopesOf(call));
  if (flags['json'] === true) return io.json({ version: 1, facts });
  await io.out(`# What is remembered\n`);
  for (const scope of scopesOf(call)) {
    const own = facts.filter((fact) => fact.scope === scope);
    await io.out(`\n## ${scope === 'user' ? 'In all projects' : 'In this project'}\n\n`);
    if (own.length === 0) await io.out('Nothing.\n');
    for (const { text, source, updated, id } of own)
      await io.out(`- ${plainLine(text)} (${source}, ${updated.slice(0, 10)}, ${id})\n`);
  }
}

/** Notes that the user vouches for facts. */
export async function vouchFor(memory: Memory, { args, flags, io, cwd }: CommandCall): Promise<void> {
  const ids = Array.isArray(args['ids']) ? args['ids'] : [];
  const facts: Fact[] = [];
  for (const id of ids) facts.push(await memory.vouch(cwd, await memory.find(cwd, id)));
  if (flags['json'] === true) return io.json({ facts });
  for (const fact of facts) await io.out(`${line(fact, io.width)}\n`);
}

function line({ id, scope, source, updated, text }: Fact, width: number): string {
  const head = `${id}  ${updated.slice(0, 10)}  ${scope.padEnd(7)}  ${source.padEnd(7)}  `;
  return `${head}${cutText(plainLine(text), Math.max(30, width - head.length - 1))}`;
}
