/** From the text that an editor sends to operations on named lines; the grammar is in `docs/design/hashline.md`. */
import { anchorLetters } from './anchor.ts';
import type { Anchor, Op, ParseResult, Section } from './contract.ts';
import { excerpt } from './js-report.ts';
import { asBuffer, bomLength } from './js-text.ts';

const SHOWN_BYTES = 80;
const TILDE = 0x7e;
const AT = 0x40;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is wrong with a patch; turned into a value at the parser's edge. */
class PatchFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

type Draft = { -readonly [K in keyof Op]: Op[K] };

interface DraftSection {
  readonly path: string;
  readonly ops: Draft[];
  readonly lines: Uint8Array[];
  payloadLength: number;
}

/** Reads a patch given as bytes. */
export function parsePatch(input: Uint8Array, fallbackPath: string | undefined): ParseResult {
  const reader = new PatchReader(fallbackPath);
  try {
    readLines(asBuffer(input), reader);
    return { ok: true, sections: reader.finish(), warnings: reader.warnings };
  } catch (error) {
    if (!(error instanceof PatchFault)) throw error;
    return { ok: false, message: error.message, line: error.line };
  }
}

function readLines(input: Buffer, reader: PatchReader): void {
  let ended = false;
  let number = 0;
  for (let start = bomLength(input), next = 0; next >= 0; start = next + 1) {
    next = input.indexOf(10, start);
    const line = withoutReturn(input.subarray(start, next < 0 ? input.length : next));
    number++;
    const bare = trimAscii(line);
    const word = bare.length < 20 ? bare.toString('latin1') : '';
    if (ended) {
      if (bare.length > 0) {
        reader.warnings.push(`line ${number}: the text after "*** End Patch" was ignored.`);
        return;
      }
    } else if (line[0] === TILDE) {
      reader.payload(number, line);
    } else if (bare.length === 0 || word === '*** Begin Patch') {
      continue;
    } else if (word === '*** End Patch') {
      ended = true;
    } else if (word === '*** Abort') {
      reader.warnings.push(
        `line ${number}: the patch was cut short by "*** Abort"; only the operations before it count.`,
      );
      return;
    } else if (bare[0] === AT) {
      reader.header(number, bare);
    } else {
      reader.operation(number, bare);
    }
  }
}

class PatchReader {
  readonly warnings: string[] = [];
  readonly #sections = new Map<string, DraftSection>();
  readonly #fallbackPath: string | undefined;
  #current: DraftSection | undefined;
  #openOp: Draft | undefined;
  #headerLine = 0;

  constructor(fallbackPath: string | undefined) {
    this.#fallbackPath = fallbackPath;
  }

  header(line: number, text: Buffer): void {
    this.#closeSection();
    let at = 0;
    while (text[at] === AT) at++;
    const path = trimAscii(text.subarray(at));
    if (path.length === 0) throw faultAt(line, 'the header names no file. Write "@@ PATH".');
    this.#openSection(decodePath(line, path), line);
  }

  operation(line: number, text: Buffer): void {
    const section = this.#section(text);
    this.#closeOp();
    const mark = String.fromCharCode(text[0]!);
    const rest = trimAscii(text.subarray(1));
    const payload = { payloadStart: section.payloadLength, payloadEnd: section.payloadLength };
    let op: Draft;
    if (mark === '+' || mark === '<') {
      op = {
        kind: mark === '+' ? 'insert-after' : 'insert-before',
        patchLine: line,
        start: insertionPoint(line, rest),
        ...payload,
      };
    } else if (mark === '-' || mark === '=') {
      op = { kind: mark === '-' ? 'delete' : 'replace', patchLine: line, ...range(line, rest), ...payload };
    } else {
      throw faultAt(
        line,
        `not an operation: "${excerpt(text, SHOWN_BYTES)}". Use "+ ANCHOR", "< ANCHOR", "- A..B" or "= A..B"; ` +
          'a line of text to write starts with "~".',
      );
    }
    section.ops.push(op);
    this.#openOp = op;
  }

  payload(line: number, text: Buffer): void {
    const section = this.#section(text);
    const op = this.#openOp;
    if (!op || op.kind === 'delete') throw faultAt(line, 'this payload line follows no +, < or = operation.');
    pushPayload(section, op, text.subarray(1));
  }

  finish(): Section[] {
    this.#closeSection();
    if (this.#sections.size === 0) {
      throw new PatchFault(0, 'The patch is empty. Begin with "@@ PATH", then the operations.');
    }
    const newline = Buffer.from('\n');
    return [...this.#sections.values()].map(({ path, ops, lines }) => ({
      path,
      ops,
      payload: new Uint8Array(Buffer.concat(lines.flatMap((line) => [line, newline]))),
    }));
  }

  #openSection(path: string, line: number): void {
    const section = this.#sections.get(path) ?? { path, ops: [], lines: [], payloadLength: 0 };
    this.#sections.set(path, section);
    this.#current = section;
    this.#headerLine = line;
    this.#openOp = undefined;
  }

  #section(text: Uint8Array): DraftSection {
    if (!this.#current && this.#fallbackPath !== undefined) this.#openSection(this.#fallbackPath, 0);
    if (this.#current) return this.#current;
    throw new PatchFault(
      0,
      `The patch must begin with "@@ PATH" on its first non-blank line; got "${excerpt(text, SHOWN_BYTES)}". ` +
        'Example: "@@ src/foo.ts", then the operations.',
    );
  }

  #closeOp(): void {
    const op = this.#openOp;
    this.#openOp = undefined;
    if (!op || !this.#current || op.payloadEnd > op.payloadStart || op.kind === 'delete') return;
    if (op.kind !== 'replace') {
      throw faultAt(op.patchLine, '+ and < need at least one payload line that starts with "~".');
    }
    pushPayload(this.#current, op, new Uint8Array());
  }

  #closeSection(): void {
    this.#closeOp();
    if (this.#current?.ops.length === 0) {
      const { path } = this.#current;
      throw faultAt(
        this.#headerLine,
        `the section for ${path} has no operations. Write at least one below its header.`,
      );
    }
  }
}

function pushPayload(section: DraftSection, op: Draft, line: Uint8Array): void {
  section.lines.push(line);
  section.payloadLength += line.length + 1;
  op.payloadEnd = section.payloadLength;
}

function faultAt(line: number, message: string): PatchFault {
  return new PatchFault(line, `line ${line}: ${message}`);
}

function decodePath(line: number, path: Uint8Array): string {
  try {
    return utf8.decode(path);
  } catch {
    throw faultAt(line, 'the path is not valid UTF-8.');
  }
}

function insertionPoint(line: number, text: Buffer): Op['start'] {
  const word = text.toString('latin1');
  return word === 'BOF' || word === 'EOF' ? word : anchor(line, text);
}

function range(line: number, text: Buffer): { start: Anchor; end: Anchor } {
  const dots = text.indexOf('..');
  if (dots < 0) {
    throw faultAt(line, '- and = need a range such as "4fb..6qx"; for a single line, repeat its anchor: "4fb..4fb".');
  }
  const start = anchor(line, trimAscii(text.subarray(0, dots)));
  const end = anchor(line, trimAscii(text.subarray(dots + 2)));
  const shown = `${anchorText(start)}..${anchorText(end)}`;
  if (end.line < start.line) throw faultAt(line, `the range ${shown} ends before it starts.`);
  if (end.line === start.line && end.code !== start.code) {
    throw faultAt(line, `the range ${shown} gives two different anchors for one line.`);
  }
  return { start, end };
}

function anchorText({ line, code }: Anchor): string {
  return `${line}${anchorLetters(code)}`;
}

function anchor(line: number, text: Buffer): Anchor {
  // Nine digits are more lines than any file that fits in memory.
  const match = /^([1-9]\d{0,8})([a-z])([a-z])$/.exec(text.toString('latin1'));
  if (!match) {
    throw faultAt(
      line,
      'expected an anchor such as "119sr" (a line number and two letters, as shown left of "|"); ' +
        `got "${excerpt(text, SHOWN_BYTES)}".`,
    );
  }
  const letter = (text: string): number => text.charCodeAt(0) - 97;
  return { line: Number(match[1]), code: letter(match[2]!) * 26 + letter(match[3]!) };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}

/** Without ASCII blanks on both sides: space, tab, newline, form feed, carriage return. */
function trimAscii(bytes: Buffer): Buffer {
  const blank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 12 || byte === 13;
  let start = 0;
  let end = bytes.length;
  while (start < end && blank(bytes[start]!)) start++;
  while (end > start && blank(bytes[end - 1]!)) end--;
  return bytes.subarray(start, end);
}
