/** Reads what a model's id says: which model it is, of which version and date. Vendors spell the same model in many ways. */

/** What an id says about its model. */
export interface IdFacts {
  /** The id without vendor, region and packaging; `4.5` and `4-5` are spelled alike. */
  readonly name: string;
  /** `[4, 5]` for `claude-sonnet-4-5`; empty when the id has no number that is a version. */
  readonly version: readonly number[];
  /** `20250929`, or 0; a date without a year counts as the oldest. */
  readonly date: number;
  /** All that is neither version nor date nor size: `claude`, `sonnet`, `fast`. */
  readonly words: readonly string[];
  /** Billions of parameters, where the id says it. */
  readonly size: number;
  /** True for previews and experiments. */
  readonly preview: boolean;
  /** True for an alias such as `mistral-large-latest`, which has no version because it always means the newest. */
  readonly rolling: boolean;
}

/** `anthropic/`, `accounts/x/models/`, `global.anthropic.`, `us.meta.` */
const VENDOR = /^.*\/|^(?:[a-z][a-z-]*\.)+(?=[a-z])/;
/** Bedrock counts how often it packed a model: `-v1:0`, `-v1`. */
const PACKAGING = /-v\d+:\d+$|(?<=\d)-v\d+$/;
/** `32b`, `a22b`, `8x7b`, `128e` (experts), `32k` (context). */
const SIZE = /(?<![a-z\d.])(?:a)?(?:\d+x)?(\d+(?:\.\d+)?)([bekm])(?![a-z\d])/g;
const FULL_DATE = /(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)/;
/** `2512` is December 2025; `0709` and `02-23` are days without a year. `10-2` and `10-12` are versions. */
const SHORT_DATE = /[-@](?:([2-9]\d)(0[1-9]|1[0-2])|(0[1-9]|1[0-2])([0-3]\d)|(0[1-9])-([0-3]\d))(?=$|-|:)/;
const VERSION = /\d+(?:[.-]\d+)*/;
const PREVIEW = /^(?:preview|exp|experimental|beta|alpha)$/;

/** Reads an id. */
export function readId(id: string): IdFacts {
  const bare = id
    .toLowerCase()
    .replace(VENDOR, '')
    .replace(PACKAGING, '')
    // Fireworks writes `glm-4p6`.
    .replace(/(\d)p(?=\d)/g, '$1.');
  const { date, rest } = takeDate(bare);
  let size = 0;
  const unsized = rest.replaceAll(SIZE, (_all, number: string, unit: string) => {
    if (unit === 'b') size = Math.max(size, Number(number));
    return '';
  });
  const version = (VERSION.exec(unsized)?.[0] ?? '').split(/[.-]/).filter(Boolean).map(Number);
  const words = unsized.replace(VERSION, ' ').match(/[a-z]+/g) ?? [];
  const isLatest = /[-_]latest$/.test(bare);
  return {
    name: rest.replace(/[-_]latest$/, '').replace(/[^a-z\d]+/g, '-'),
    version: words[0] === 'grok' ? decimal(version) : version,
    date,
    words: words.filter((word) => !PREVIEW.test(word) && word !== 'latest'),
    size,
    preview: words.some((word) => PREVIEW.test(word)),
    rolling: isLatest && version.length === 0,
  };
}

function takeDate(text: string): { readonly date: number; readonly rest: string } {
  const full = FULL_DATE.exec(text);
  if (full) return { date: Number(full.slice(1).join('')), rest: text.replace(/[-@]?20\d\d-?\d\d-?\d\d(?!\d)/, '') };
  const short = SHORT_DATE.exec(text);
  if (!short) return { date: 0, rest: text };
  const [all, year, monthOfYear, ...day] = short;
  const date = year === undefined ? day.join('') : `20${year}${monthOfYear}00`;
  return { date: Number(date), rest: text.replace(all, '') };
}

/** xAI counts in decimals: 4.20 came before 4.3. */
function decimal(version: readonly number[]): readonly number[] {
  const [major = 0, minor] = version;
  return minor === undefined ? version : [major, Number(`0.${minor}`)];
}

/** Sorts the newest model first; of one version, the released and plain model first, and its alias before its snapshots. */
export function newestFirst(a: string, b: string): number {
  const [x, y] = [readId(a), readId(b)];
  return (
    Number(y.rolling) - Number(x.rolling) ||
    compareVersions(y.version, x.version) ||
    Number(x.preview) - Number(y.preview) ||
    x.words.length - y.words.length ||
    y.size - x.size ||
    byWords(x, y) ||
    byDate(x, y) ||
    a.length - b.length ||
    (a < b ? -1 : 1)
  );
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    // `opus-4` and `opus-4-0` are the same.
    if (difference !== 0 && !(a[at] === undefined && b[at] === 0) && !(b[at] === undefined && a[at] === 0))
      return difference;
  }
  return 0;
}

/** Different models of one version have no order by age; any fixed one will do. */
function byWords(x: IdFacts, y: IdFacts): number {
  const [a, b] = [x.words.join(' '), y.words.join(' ')];
  return a === b ? 0 : a < b ? 1 : -1;
}

/** With a version, the undated id is the vendor's alias of the last snapshot; without one, the date is the version. */
function byDate(x: IdFacts, y: IdFacts): number {
  if (x.version.length > 0 && (x.date === 0) !== (y.date === 0)) return x.date === 0 ? -1 : 1;
  return y.date - x.date;
}
