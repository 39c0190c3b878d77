/** How the indentation of one version of a file reads in another, learned from lines that both have. */

/** The blanks at the start of a line. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Whether a line that both versions have is indented otherwise now. One without words (`}`) may well be another line, and tells nothing. */
export function isReindented(old: string, now: string): boolean {
  return /[\p{L}\p{N}]/u.test(old) && indentOf(old) !== indentOf(now);
}

/** Indentation of one version -> indentation of the other. */
export class IndentMap {
  readonly #map: ReadonlyMap<string, string>;

  private constructor(map: ReadonlyMap<string, string>) {
    this.#map = map;
  }

  /** Learns from pairs of the same line; undefined when one indentation became two. */
  static learn(pairs: Iterable<readonly [string, string]>): IndentMap | undefined {
    const map = new Map<string, string>();
    for (const [old, now] of pairs) {
      if (old.trim() === '') continue;
      const [from, to] = [indentOf(old), indentOf(now)];
      const known = map.get(from);
      if (known !== undefined && known !== to) return undefined;
      map.set(from, to);
    }
    // Another unit of indentation leaves a line without any as it is; a block that was put into another one does not.
    if (!map.has('') && hasOtherUnit(map)) map.set('', '');
    return new IndentMap(map);
  }

  /** The lines as the other version would write them; undefined when an indentation was never seen: that would be a guess. */
  apply(lines: readonly string[]): string[] | undefined {
    const changed: string[] = [];
    for (const line of lines) {
      const from = indentOf(line);
      const to = line.trim() === '' ? from : this.#map.get(from);
      if (to === undefined) return undefined;
      changed.push(to + line.slice(from.length));
    }
    return changed;
  }
}

/** Whether the indentations are what they were, or all of them are as many times as long. */
function hasOtherUnit(map: ReadonlyMap<string, string>): boolean {
  if ([...map].every(([from, to]) => from === to)) return map.size > 0;
  const scales = new Set([...map].map(([from, to]) => to.length / from.length));
  return map.size > 1 && scales.size === 1;
}
