/** The text of one git configuration file, as in crates/scan/src/config_file.rs. Texts have one character per byte. */

/** A key in lower case (what stands in quotes keeps its case), and its value; a key alone has none. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: string | undefined;
}

/** What a file says, and the number of the line that git would refuse; nothing behind it is read. */
export interface ConfigFile {
  readonly entries: readonly ConfigEntry[];
  readonly wrongLine: number | undefined;
}

/** A section's head: its name and what stands in quotes. */
const SECTION = /\[([-.0-9A-Za-z]*)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/uy;
const KEY = /([A-Za-z][-0-9A-Za-z]*)[ \t]*(=|\n|$)/uy;
const SPACE_OR_COMMENT = /[ \t\n\r]+|[#;][^\n]*/uy;
/** Parts of a value: blanks, a comment, quoted text, an escape, or something plain. */
const VALUE_PART = /([ \t\r]+)|[#;][^\n]*|"((?:[^"\\\n]|\\[\s\S])*)"|(\\[\s\S])|([^ \t\r\n"#;\\]+)/uy;

/** Reads a file. */
export function readConfigFile(content: Buffer): ConfigFile {
  const text = content
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/u, '')
    .replaceAll('\r\n', '\n');
  const entries: ConfigEntry[] = [];
  let section: string | undefined;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    if (take(SPACE_OR_COMMENT)) continue;
    const wrongLine = text.slice(0, at).split('\n').length;
    const head = take(SECTION);
    if (head) {
      const quoted = head[2] === undefined ? '' : `.${head[2].replaceAll(/\\([\s\S])/gu, '$1')}`;
      section = `${(head[1] ?? '').toLowerCase()}${quoted}.`;
      continue;
    }
    const key = section === undefined ? null : take(KEY);
    if (!key) return { entries, wrongLine };
    const value = key[2] === '=' ? readValue(take, () => text[at]) : undefined;
    if (value === null) return { entries, wrongLine };
    entries.push({ key: `${section}${(key[1] ?? '').toLowerCase()}`, value });
  }
  return { entries, wrongLine: undefined };
}

/** The value after an equals sign; `null` when it is not closed or has an unknown escape. */
function readValue(take: (pattern: RegExp) => RegExpExecArray | null, next: () => string | undefined): string | null {
  let value = '';
  let blanks = '';
  for (;;) {
    const part = take(VALUE_PART);
    if (!part) break;
    const [whole, space, quoted, escaped, plain] = part;
    if (space !== undefined) {
      // Blanks inside count, those around do not.
      if (value !== '' || blanks !== '') blanks += space;
      continue;
    }
    if (/^[#;]/u.test(whole)) break;
    const meant = plain ?? unescaped(quoted ?? escaped ?? '');
    if (meant === undefined) return null;
    value += blanks + meant;
    blanks = '';
  }
  return next() === undefined || next() === '\n' ? value : null;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '', t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

function unescaped(text: string): string | undefined {
  let isKnown = true;
  const meant = text.replaceAll(/\\([\s\S])/gu, (_all, letter: string) => {
    isKnown &&= letter in ESCAPES;
    return ESCAPES[letter] ?? '';
  });
  return isKnown ? meant : undefined;
}
