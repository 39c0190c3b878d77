/** `tenon discover`: everything that is there, where it came from, and why something is not used. */
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean, plainLine } from '@tenon/wording';
import type { TenonError } from '@tenon/kernel';
import { createRedactor } from '@tenon/log';
import type { Discovered, Discovery, Findings, Ignored } from './api.ts';
import { errors } from './errors.ts';
import { KINDS, type Kind } from './kind-table.ts';
import { uniqueProblems } from './merge.ts';

/** One line of the listing. */
interface Row {
  readonly kind: string;
  readonly name: string;
  readonly family: string;
  readonly level: string;
  readonly file: string;
  readonly bundle?: string;
  readonly priority: number;
  readonly about: string;
  /** Why it is not used. */
  readonly ignored?: string;
}

const redact = createRedactor();

/** What the command works with. */
export interface DiscoverParts {
  readonly finder: Discovery;
  readonly home: string;
  /** Every family whose plugin was started, also those that found nothing. */
  families(): Promise<readonly string[]>;
}

/** Lists what is found for the working folder. */
export async function discover(parts: DiscoverParts, call: CommandCall): Promise<number> {
  const { finder, home } = parts;
  const { io, cwd, signal } = call;
  const kinds = chosenKinds(call.args['kind']);
  const results: { kind: Kind; findings: Findings<unknown> }[] = [];
  for (const kind of kinds) results.push({ kind, findings: await finder.load(kind.slot, cwd, signal) });
  const family = await chosenFamily(parts, results, call);
  const rows = results.flatMap(({ kind, findings }) => [
    ...findings.items.map((item) => rowOf(kind, item)),
    ...findings.ignored.map((item) => rowOf(kind, item)),
  ]);
  const shownRows = family === undefined ? rows : rows.filter((row) => row.family === family);
  const problems = uniqueProblems(results.flatMap(({ findings }) => findings.problems));
  if (call.flags['json'] === true) {
    await io.json({
      items: shownRows.filter(({ ignored }) => ignored === undefined),
      ignored: shownRows.filter(({ ignored }) => ignored !== undefined),
      problems: problems.map(({ code, message, next, details }) => ({ code, message, next, details })),
    });
    return 0;
  }
  await showRows(call, home, kinds, shownRows);
  await showProblems(call, home, problems);
  return 0;
}

function chosenKinds(word: unknown): readonly Kind[] {
  if (typeof word !== 'string') return KINDS;
  const chosen = KINDS.find(({ slot, singular }) => slot.id === word || singular === word || slot.id === `${word}s`);
  if (chosen) return [chosen];
  const kinds = KINDS.map(({ slot }) => slot.id);
  throw errors.create('DISCOVERY_UNKNOWN_KIND', { kind: word, hint: didYouMean(word, kinds), kinds });
}

async function chosenFamily(
  { finder, families }: DiscoverParts,
  results: readonly { findings: Findings<unknown> }[],
  { flags, cwd, signal }: CommandCall,
): Promise<string | undefined> {
  const name = flags['family'];
  if (typeof name !== 'string') return undefined;
  const all = results.flatMap(({ findings }) => [...findings.items, ...findings.ignored]);
  if (all.some(({ family }) => family === name)) return name;
  // Looking for every kind starts every family: one that has nothing here is still one.
  for (const { slot } of KINDS) await finder.load(slot, cwd, signal);
  const names = await families();
  if (names.includes(name)) return name;
  throw errors.create('DISCOVERY_UNKNOWN_FAMILY', {
    family: name,
    hint: didYouMean(name, names),
    families: names,
  });
}

function rowOf(kind: Kind, item: Discovered<unknown> | Ignored<unknown>): Row {
  const { key, family, level, file, bundle, priority, value } = item;
  const name = key.startsWith(`${file}#`) ? key.slice(file.length + 1) : key;
  return {
    kind: kind.slot.id,
    name,
    family,
    level,
    file,
    priority,
    about: plainLine(redact(kind.describe(value as never))),
    ...(bundle !== undefined && { bundle }),
    ...('reason' in item && { ignored: item.reason }),
  };
}

async function showRows(call: CommandCall, home: string, kinds: readonly Kind[], rows: readonly Row[]): Promise<void> {
  const { io } = call;
  const paint = (code: number, text: string) => (io.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const short = (text: string) => shortPath(text, home, call.cwd);
  const showAll = call.flags['all'] === true;
  let hidden = 0;
  let shown = 0;
  for (const kind of kinds) {
    const ofKind = rows.filter((row) => row.kind === kind.slot.id);
    const used = ofKind.filter(({ ignored }) => ignored === undefined);
    const unused = ofKind.filter(({ ignored }) => ignored !== undefined);
    const visible = showAll ? [...used, ...unused] : used;
    hidden += showAll ? 0 : unused.length;
    if (visible.length === 0) continue;
    shown += visible.length;
    await io.out(`${paint(1, kind.title)} (${used.length})\n`);
    const isPath = visible.every(({ name, file }) => name === file);
    const names = visible.map((row) => plainLine(isPath ? short(row.file) : row.name));
    const width = Math.min(Math.max(...names.map((name) => name.length)), 40);
    for (const [index, row] of visible.entries()) {
      const from = `${row.family} ${row.level}${row.bundle === undefined ? '' : `, bundle ${row.bundle}`}`;
      const name = (names[index] ?? '').padEnd(width);
      const mark = row.ignored === undefined ? ' ' : '-';
      const where = isPath ? from : `${from}, ${short(row.file)}`;
      const about = isPath && row.kind === 'context-files' ? row.about : row.about.slice(0, 200);
      await io.out(fit(`${mark} ${name}  ${about}`, io.width));
      await io.out(`    ${paint(2, plainLine(where))}\n`);
      if (row.ignored !== undefined) await io.out(`    ${paint(33, `not used: ${short(plainLine(row.ignored))}`)}\n`);
    }
    await io.out('\n');
  }
  if (shown === 0) await io.out('Nothing was found here.\n');
  if (hidden === 1) await io.out('1 more is not used; --all shows it and why.\n');
  if (hidden > 1) await io.out(`${hidden} more are not used; --all shows them and why.\n`);
}

async function showProblems({ io, cwd }: CommandCall, home: string, problems: readonly TenonError[]): Promise<void> {
  if (problems.length === 0) return;
  await io.out(`\n${problems.length === 1 ? 'One problem' : `${problems.length} problems`}:\n`);
  for (const { message, next } of problems)
    await io.out(
      `  ${plainLine(redact(shortPath(message, home, cwd)))}\n    ${plainLine(shortPath(next, home, cwd))}\n`,
    );
}

/** One line of the terminal at most. */
function fit(line: string, width: number): string {
  return `${line.length > width ? `${line.slice(0, Math.max(width - 1, 20))}…` : line.trimEnd()}\n`;
}

/** Paths as people write them. */
function shortPath(text: string, home: string, cwd: string): string {
  const inProject = cwd === home ? text : text.replaceAll(`${cwd}/`, './');
  return inProject.replaceAll(`${home}/`, '~/');
}
