/** A positional argument of a command. */
export interface ArgumentSpec {
  /** Key in `call.args`; shown in capitals. */
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all the remaining words; only the last argument may. */
  readonly variadic?: boolean;
  /** The only values that are accepted. */
  readonly choices?: readonly string[];
  /** What shells offer: "files", "folders", "plugins", "settings", "commands", or "slot:ID" for the keys of a slot. */
  readonly complete?: string;
}

/** A flag of a command; its name is its key in `flags`. */
export interface FlagSpec {
  readonly type: 'boolean' | 'string';
  readonly summary: string;
  /** One letter. */
  readonly short?: string;
  /** Name of the value in help texts. */
  readonly placeholder?: string;
  readonly default?: string | boolean;
  /** The value may be left out and is then empty: a word behind the flag is its value only if this pattern fits all of it. */
  readonly optionalValue?: string;
  /** May be given several times; its value is then a list. */
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: string;
  /** The setting that the flag gives a value for this run, like --set: `sandbox.profile`, or `approval.mode=yolo` for a flag without a value. */
  readonly setting?: string;
  /** Lets the agent do more, so that an agent that calls the command cannot give it; flags with a setting are so by themselves. */
  readonly personOnly?: boolean;
}

/** What the manifest says about a command: all that parsing, help, completion and docs need, without its code. */
export interface CommandSpec {
  /** One line, without a full stop. */
  readonly summary: string;
  /** Paragraphs for the help page, separated by blank lines. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** What to use instead of a flag that other programs have and this command has not, by its name: "Use --yolo." */
  readonly flagHints?: Readonly<Record<string, string>>;
  readonly examples?: readonly { readonly command: string; readonly summary: string }[];
  /** Heading under which the overview lists the command. */
  readonly group?: string;
  /** Works, but is left out of overviews and completion. */
  readonly hidden?: boolean;
  /** Shows start-up problems itself, or must not be disturbed by them. */
  readonly quiet?: boolean;
  /** Runs until a signal stops it: that is no failure, so nothing is said about it and the exit code is 0. */
  readonly serves?: boolean;
  /** Adds --json; the command then writes with `io.json` only. */
  readonly json?: boolean;
  /** Also runs without its name, when the line begins with a flag, an @FILE or a quoted text. One command may have this. */
  readonly root?: boolean;
  /** Changes what the agent may do (approval, trust, settings, packs, credentials) or the user's files, so it is refused where an agent calls it. */
  readonly personOnly?: boolean;
  /** Flags with which such a command only shows something, so that agents may call it as well. */
  readonly readsWith?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What is wrong with the data of a command, as packs write it. Checked by hand, because a schema compiler would cost
 * more than the rest of the start.
 */
export function specProblem(key: string, data: Fields): string | undefined {
  if (!isPlainKey(key) && !/^[^\s\p{C}-][^\s\p{C}]*( [^\s\p{C}-][^\s\p{C}]*)*$/u.test(key))
    return 'its key must be words that do not start with a dash, joined by one space';
  const problem = textProblem(data, ['summary'], ['description', 'group']);
  if (problem) return problem;
  const { arguments: args = [], flags = {}, examples = [], flagHints = {} } = data;
  if (!isList(args)) return '"arguments" must be a list of objects';
  if (!isList(examples)) return '"examples" must be a list of objects';
  if (!isObject(flags) || !Object.values(flags).every(isObject)) return '"flags" must map names to objects';
  if (!isObject(flagHints) || !Object.values(flagHints).every(isText)) return '"flagHints" must map names to texts';
  return (
    args.map((arg, index) => argumentProblem(arg, index === args.length - 1)).find(Boolean) ??
    Object.entries(flags)
      .map(([name, flag]) => flagProblem(name, flag as Fields))
      .find(Boolean) ??
    examples.map((example) => textProblem(example, ['command', 'summary'], [])).find(Boolean)
  );
}

/** The rule above for plain ASCII: tables of Unicode cost a start some milliseconds. */
function isPlainKey(key: string): boolean {
  return /^[!-,.-~][!-~]*( [!-,.-~][!-~]*)*$/.test(key);
}

function argumentProblem(argument: Fields, isLast: boolean): string | undefined {
  const problem = textProblem(argument, ['name', 'summary'], ['complete']) ?? choicesProblem(argument);
  if (problem) return `an argument is wrong: ${problem}`;
  return argument['variadic'] === true && !isLast ? 'only the last argument can be variadic' : undefined;
}

function flagProblem(name: string, flag: Fields): string | undefined {
  const { type, short, default: preset, multiple } = flag;
  const problem =
    (/^[a-z][a-z0-9-]*$/.test(name) ? undefined : 'its name must be lower-case letters, digits and dashes') ??
    textProblem(flag, ['summary'], ['placeholder', 'complete', 'setting', 'optionalValue']) ??
    choicesProblem(flag) ??
    (type === 'boolean' || type === 'string' ? undefined : '"type" must be "boolean" or "string"') ??
    (short === undefined || /^[A-Za-z]$/.test(String(short)) ? undefined : '"short" must be one letter') ??
    (preset === undefined || typeof preset === type ? undefined : `"default" must be a ${String(type)}`) ??
    (multiple === true && type === 'boolean' ? 'a boolean flag cannot be "multiple"' : undefined);
  return problem && `flag "${name}" is wrong: ${problem}`;
}

function choicesProblem({ choices }: Fields): string | undefined {
  const isFine = choices === undefined || (Array.isArray(choices) && choices.length > 0 && choices.every(isText));
  return isFine ? undefined : '"choices" must be a list of texts';
}

function textProblem(fields: Fields, required: readonly string[], optional: readonly string[]): string | undefined {
  const missing = required.find((name) => !isText(fields[name]) || fields[name] === '');
  if (missing) return `"${missing}" must be a text`;
  const wrong = optional.find((name) => fields[name] !== undefined && !isText(fields[name]));
  return wrong && `"${wrong}" must be a text`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isObject);
}
