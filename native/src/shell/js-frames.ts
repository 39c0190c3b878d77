/** One report of the shell or of the guard; see crates/shell/src/frames.rs for the format. */
export type Frame =
  | { readonly tag: 'ready'; readonly pid: number; readonly bulk: boolean }
  | {
      readonly tag: 'end';
      readonly token: string;
      readonly status: number;
      readonly cwd: string;
      /** The letters of `$-`. */
      readonly options: string;
    }
  | { readonly tag: 'state'; readonly cwd: string; readonly text: Buffer }
  | { readonly tag: 'guard'; readonly pid: number; readonly watcher: number }
  | { readonly tag: 'shell-ended'; readonly status: number };

const FIELDS: Readonly<Record<string, number>> = { I: 2, E: 4, S: 2, G: 2, X: 1 };
/** State above this size is not carried to the next shell. */
const LARGEST_STATE = 32 * 1024 * 1024;

/** Collects bytes and yields whole frames. */
export class FrameReader {
  #pending: Buffer[] = [];
  #size = 0;
  #overflow = false;
  #fields: Buffer[] = [];

  /** Takes bytes as they arrive and returns the frames they complete. */
  push(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    let rest = bytes;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      this.#append(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const frame = this.#field(Buffer.concat(this.#pending), this.#overflow);
      this.#pending = [];
      this.#size = 0;
      this.#overflow = false;
      if (frame) frames.push(frame);
    }
    this.#append(rest);
    return frames;
  }

  #append(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > LARGEST_STATE) {
      this.#overflow = true;
      this.#pending = [];
    } else if (bytes.length > 0) {
      this.#pending.push(Buffer.from(bytes));
    }
  }

  #field(field: Buffer, overflow: boolean): Frame | undefined {
    if (this.#fields.length === 0) {
      if (field.toString('latin1') in FIELDS) this.#fields.push(field);
      return undefined;
    }
    this.#fields.push(field);
    if (overflow) {
      this.#fields = [];
      return undefined;
    }
    const [tag, ...fields] = this.#fields;
    if (!tag || fields.length < (FIELDS[tag.toString('latin1')] ?? 0)) return undefined;
    this.#fields = [];
    return build(tag.toString('latin1'), fields);
  }
}

function build(tag: string, fields: readonly Buffer[]): Frame | undefined {
  const text = (index: number): string => fields[index]?.toString() ?? '';
  const number = (index: number): number => (/^-?\d+$/.test(text(index)) ? Number(text(index)) : Number.NaN);
  const frame = ((): Frame => {
    switch (tag) {
      case 'I':
        return { tag: 'ready', pid: number(0), bulk: text(1) === '1' };
      case 'E':
        return { tag: 'end', token: text(0), status: number(1), cwd: text(2), options: text(3) };
      case 'S':
        return { tag: 'state', cwd: text(0), text: fields[1] ?? Buffer.alloc(0) };
      case 'G':
        return { tag: 'guard', pid: number(0), watcher: number(1) };
      default:
        return { tag: 'shell-ended', status: number(0) };
    }
  })();
  return Object.values(frame).some(Number.isNaN) ? undefined : frame;
}
