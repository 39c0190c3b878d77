/** What a person reads before they decide: the whole call, with the parts marked that matter. */
import type { SandboxRefusal, TextSpan, ToolCallEvent } from '@tenon/tools/api';
import type { HeldApproval } from './api.ts';
import type { Finding } from './judge/finding.ts';

/** Marks of a risky part. */
const OPEN = '⟦';
const CLOSE = '⟧';
/** What a terminal would obey or not show: control characters, changes of direction, blanks and tags without width. */
const hidden = () => /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{DI}\u27e6\u27e7]/gu; // made for a question, because its tables take a while

const MAX_NAME = 160;

/** The whole of what a call would do. */
export function wholeText({ input, touches }: Pick<ToolCallEvent, 'input' | 'touches'>): string {
  const [only, ...others] = touches.commands ?? [];
  if (only !== undefined && others.length === 0) return only.text;
  const key = ['command', 'path', 'url', 'op'].find((name) => typeof input[name] === 'string');
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => name !== key));
  const main = key === undefined ? '' : String(input[key]);
  return [main, ...(Object.keys(rest).length === 0 ? [] : [inputText(rest)])].filter((part) => part !== '').join('\n');
}

/** The parts of an input, one below the other. */
export function inputText(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(
      ([key, value]) =>
        `  ${key}: ${(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll('\n', '\n    ')}`,
    )
    .join('\n');
}

/** Where the text says what the findings are about; those that cannot be located are left out. */
export function spansOf(text: string, findings: readonly Finding[]): TextSpan[] {
  const spans = findings.flatMap(({ argv, path, leaves, span }) => {
    if (span !== undefined) return [span];
    if (leaves !== undefined) return [];
    return (argv && wordsIn(text, argv)) ?? (path === undefined ? undefined : pathIn(text, path)) ?? [];
  });
  const isAll = ({ start, end }: TextSpan) => text.slice(0, start).trim() === '' && text.slice(end).trim() === '';
  // Where everything matters, marks say nothing.
  if (spans.some(isAll)) return [];
  const sorted = spans.toSorted((left, right) => left.start - right.start || right.end - left.end);
  return sorted.reduce<TextSpan[]>((merged, span) => {
    const last = merged.at(-1);
    if (!last || span.start > last.end) return [...merged, span];
    return [...merged.slice(0, -1), { start: last.start, end: Math.max(last.end, span.end) }];
  }, []);
}

/** A program's words in the order of its call; words that are written otherwise than they are read are passed over. */
function wordsIn(text: string, argv: readonly (string | undefined)[]): TextSpan[] | undefined {
  const [name = '', ...rest] = argv;
  if (name === '') return undefined;
  for (let start = text.indexOf(name); start !== -1; start = text.indexOf(name, start + 1)) {
    if (/[\w.-]/.test(text[start - 1] ?? ' ') || /[\w.-]/.test(text[start + name.length] ?? ' ')) continue;
    const stop = endOfCommand(text, start);
    let end = start + name.length;
    let found = 0;
    for (const word of rest) {
      const at = word === undefined || word === '' ? -1 : text.indexOf(word, end);
      if (at === -1 || at >= stop) continue;
      end = at + (word?.length ?? 0);
      found++;
    }
    if (found > 0 || rest.every((word) => word === undefined || !text.includes(word))) return [{ start, end }];
  }
  return undefined;
}

/** Where a command surely ends. Inside of quotes it may go on, which only makes the mark shorter. */
function endOfCommand(text: string, start: number): number {
  const end = /[;\n|&]/.exec(text.slice(start));
  return end ? start + end.index : text.length;
}

function pathIn(text: string, path: string): TextSpan[] | undefined {
  const name = path.split('/').findLast((part) => part !== '') ?? '';
  for (const wanted of [path, name]) {
    const at = wanted === '' ? -1 : text.lastIndexOf(wanted);
    if (at !== -1) return [{ start: at, end: at + wanted.length }];
  }
  return undefined;
}

/** A text as a person can read it: line breaks stay, what would be invisible is spelled out. */
export function visible(text: string): string {
  return text.replace(hidden(), (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The text with its risky parts in brackets that nothing else of it can hold. */
export function marked(text: string, spans: readonly TextSpan[]): string {
  let shown = '';
  let at = 0;
  for (const { start, end } of spans) {
    shown += `${visible(text.slice(at, start))}${OPEN}${visible(text.slice(start, end))}${CLOSE}`;
    at = end;
  }
  return shown + visible(text.slice(at));
}

const KINDS = { network: 'the network', write: 'writing', read: 'reading' } as const;

function list(entries: readonly SandboxRefusal[]): string {
  return [...new Set(entries.map(({ kind, what }) => `${KINDS[kind]}${nameOf(kind, what)}`))].join(', ');
}

/** What the sandbox would refuse, in words: the end of the sentence "it needs …". */
export function expectedText(expected: readonly SandboxRefusal[]): string {
  const named = expected.filter(({ what }) => what !== '');
  const isNamed = (kind: SandboxRefusal['kind']) => named.some((entry) => entry.kind === kind);
  // A host that is named says more than the network alone.
  return list(expected.filter(({ kind, what }) => what !== '' || !isNamed(kind)));
}

/** What the sandbox has refused, in words. What only the command says is shown as that. */
export function refusalText(refused: readonly SandboxRefusal[]): string {
  const by = (evidence: SandboxRefusal['evidence']) => refused.filter((entry) => entry.evidence === evidence);
  const [seen, checked, claimed] = [by('seen'), by('checked'), by('claimed')];
  return [
    ...(seen.length > 0 ? [`the sandbox refused ${list(seen)}`] : []),
    ...(checked.length > 0 ? [`its output names ${list(checked)}, which the sandbox refuses`] : []),
    ...(claimed.length > 0 ? [`its output blames ${list(claimed)}`] : []),
  ].join('; ');
}

/** Names come from the command's output: a sentence must not pass for Tenon's own words. */
function nameOf(kind: SandboxRefusal['kind'], what: string): string {
  if (what === '') return '';
  const shown = visible(cut(what));
  if (kind === 'network') return ` (${shown})`;
  return /[\s.;,]\s/.test(shown) || shown.includes(' ') ? ` "${shown.replaceAll('"', "'")}"` : ` ${shown}`;
}

/** What a question is made of. */
export type Questioned = Pick<
  HeldApproval,
  | 'tool'
  | 'subagent'
  | 'input'
  | 'folder'
  | 'text'
  | 'spans'
  | 'tier'
  | 'reasons'
  | 'refused'
  | 'expected'
  | 'needy'
  | 'variables'
  | 'ways'
>;

/** The question about a call. */
export function questionText(held: Questioned): string {
  const { text, spans, tier, reasons, folder, refused, expected } = held;
  const command = marked(text, spans);
  const where = `In ${visible(folder)}. Tier ${tier}: ${visible(reasons.join('; '))}.`;
  const variables = variablesOf(held);
  if (refused === undefined) {
    const stopped = expected === undefined ? '' : `\n${stoppedText(held, expected)}`;
    return `Allow this? ${askedBy(held)}${held.tool}: ${command}\n${variables}${where}${stopped}`;
  }
  return (
    `Run this a second time, with less confinement? ${askedBy(held)}${held.tool}: ${command}\n${variables}${where}\n` +
    `It has already run once in the sandbox and failed: ${refusalText(refused)}. It may do something else the second time.`
  );
}

function askedBy({ subagent }: Pick<Questioned, 'subagent'>): string {
  return subagent === undefined ? '' : `[subagent ${visible(cut(subagent))}] `;
}

/** Why a wider run is offered, and how far it would reach. */
export function stoppedText(
  { needy = [], ways = [] }: Pick<Questioned, 'needy' | 'ways'>,
  expected: readonly SandboxRefusal[],
): string {
  const part = visible(needy.map((words) => `\`${cut(words)}\``).join(', '));
  const needs = needy.length > 1 ? 'need' : 'needs';
  return [
    `The sandbox would stop it: ${part === '' ? 'it needs' : `${part} ${needs}`} ${expectedText(expected)}.`,
    ...(part === '' ? [] : ['What you allow holds for the whole command, not for this part alone.']),
    ...(ways.includes('network') ? ['With the network alone, files stay protected and your keys hidden.'] : []),
  ].join(' ');
}

function cut(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

/** Variables are as good as words of the command. */
export function variablesOf({ input, variables }: Pick<Questioned, 'input' | 'variables'>): string {
  const env = variables ?? input['env'];
  if (typeof env !== 'object' || env === null || Object.keys(env).length === 0) return '';
  const list = Object.entries(env).map(([name, value]) => `${visible(name)}=${visible(String(value))}`);
  return `With the variables ${list.join(' ')}\n`;
}
