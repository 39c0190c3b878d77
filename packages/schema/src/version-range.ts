/**
 * The part of semver that manifests use: `*`, `1`, `1.2`, `1.2.3`, `^`, `>=`, `<`, `=`,
 * joined by spaces (and) or `||` (or). The package `semver` knows more, but takes longer to load
 * than everything else that a start needs.
 */
type Version = readonly [number, number, number];

let last: { readonly version: string; readonly range: string; readonly answer: boolean | undefined } | undefined;

/** True when `version` lies in `range`; `undefined` when the range cannot be read. */
export function satisfies(version: string, range: string): boolean | undefined {
  // A start asks the same for every plugin.
  if (last?.version !== version || last.range !== range) last = { version, range, answer: answerFor(version, range) };
  return last.answer;
}

function answerFor(version: string, range: string): boolean | undefined {
  const parsed = parseVersion(version);
  if (!parsed) return undefined;
  let result: boolean | undefined = false;
  for (const alternative of range.split('||')) {
    const comparators = alternative.trim().split(/\s+/);
    const answers = comparators.map((comparator) => matches(parsed.version, comparator));
    if (answers.includes(undefined)) return undefined;
    result ||= answers.every(Boolean);
  }
  return result;
}

function matches(version: Version, comparator: string): boolean | undefined {
  if (comparator === '' || comparator === '*' || comparator === 'x') return true;
  const [, operator = '', rest = ''] = /^(\^|>=|<|=)?(.*)$/.exec(comparator) ?? [];
  const parsed = parseVersion(rest);
  if (!parsed) return undefined;
  const { version: bound, parts } = parsed;
  const order = compare(version, bound);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '^':
      return order >= 0 && compare(version, bump(bound, caretPart(bound, parts))) < 0;
    default:
      return order >= 0 && compare(version, bump(bound, parts - 1)) < 0;
  }
}

/** Below 1.0.0 the leftmost non-zero part is the one that breaks. */
function caretPart(bound: Version, parts: number): number {
  const first = bound.findIndex((part) => part > 0);
  return first === -1 ? parts - 1 : first;
}

function bump(version: Version, part: number): Version {
  return version.map((value, index) => (index < part ? value : index === part ? value + 1 : 0)) as unknown as Version;
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function parseVersion(text: string): { version: Version; parts: number } | undefined {
  const match = /^v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:[-+].*)?$/.exec(text);
  if (!match) return undefined;
  const numbers = [match[1], match[2], match[3]].filter((part) => part !== undefined && /^\d+$/.test(part));
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  return { version: [major, minor, patch], parts: numbers.length };
}
