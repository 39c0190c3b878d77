/**
 * How a command ends because of an error: it failed, it was called wrongly, settings are wrong, something that the work
 * needs is missing, a limit that the user gave was reached, or the result has not the form that was asked for.
 */
export const EXIT_CLASSES = ['failure', 'usage', 'config', 'unavailable', 'limit', 'mismatch'] as const;

/** One of `EXIT_CLASSES`; docs/reference/exit-codes.md has the code of each. */
export type ExitClass = (typeof EXIT_CLASSES)[number];

/** What the catalogue says about one error code. `{name}` in a text is filled from the error's details. */
export interface ErrorEntry {
  /** One sentence that names what went wrong, with the plugin, file and key that caused it. */
  readonly summary: string;
  /** What the reader can do next. */
  readonly next: string;
  /** How a command ends because of it; the catalogue's own class by default. */
  readonly exit?: ExitClass;
}

/** The facts of one failure; they fill the catalogue's texts and stay readable by programs. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The one error type of the project: a stable code, who raised it, why, and what to do next. */
export class TenonError extends Error {
  override readonly name = 'TenonError';
  readonly code: string;
  readonly owner: string;
  readonly next: string;
  readonly details: ErrorDetails;
  readonly exit: ExitClass;

  constructor(
    fields: Pick<TenonError, 'code' | 'owner' | 'message'> &
      Partial<Pick<TenonError, 'next' | 'details' | 'cause' | 'exit'>>,
  ) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = fields.code;
    this.owner = fields.owner;
    this.next = fields.next ?? '';
    this.details = fields.details ?? {};
    this.exit = fields.exit ?? 'failure';
  }

  /** The error as data, for `--json` output and for crossing process boundaries. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { code, owner, message, next, details, exit } = this;
    return {
      code,
      class: exit,
      owner,
      message,
      next,
      details,
      ...(this.cause === undefined ? {} : { cause: messageOf(this.cause) }),
    };
  }
}

/** A plugin's (or the kernel's) part of the error catalogue. */
export interface ErrorFactory<Code extends string> {
  readonly owner: string;
  /** The class of the entries that name none. */
  readonly exit: ExitClass;
  readonly catalogue: Readonly<Record<Code, ErrorEntry>>;
  /** Makes an error of the catalogue. Its texts are filled from `details`. */
  create(code: Code, details?: ErrorDetails, cause?: unknown): TenonError;
}

/** Declares the error codes of one owner. The union of all catalogues is `docs/reference/errors.md`. */
export function defineErrors<Code extends string>(
  owner: string,
  catalogue: Readonly<Record<Code, ErrorEntry>>,
  exit: ExitClass = 'failure',
): ErrorFactory<Code> {
  return {
    owner,
    exit,
    catalogue,
    create(code, details = {}, cause) {
      const entry = catalogue[code];
      const [message, next] = [fill(entry.summary, details), fill(entry.next, details)];
      return new TenonError({ code, owner, message, next, details, cause, exit: entry.exit ?? exit });
    },
  };
}

function fill(text: string, details: ErrorDetails): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = details[name];
    if (value === undefined) return whole;
    return Array.isArray(value) ? value.join(', ') : String(value);
  });
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Collects several failures into one, so that none is lost; a single failure stays itself. */
export function joinFaults(faults: readonly unknown[], message: string): Error | undefined {
  if (faults.length === 0) return undefined;
  const [only] = faults;
  if (faults.length === 1 && only instanceof Error) return only;
  return new AggregateError(faults, `${message}: ${faults.map(messageOf).join('; ')}`);
}
