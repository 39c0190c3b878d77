import type { FlagSpec } from './command-spec.ts';
import { errors } from './errors.ts';

/** The flags that every command takes; they may stand anywhere before `--`. */
export const GLOBAL_FLAGS = {
  help: { type: 'boolean', short: 'h', summary: 'Show the help of Tenon or of the command' },
  version: { type: 'boolean', short: 'V', summary: 'Print the version' },
  set: {
    type: 'string',
    multiple: true,
    placeholder: 'KEY=VALUE',
    summary: 'Use this setting for this run only; may be repeated',
    complete: 'settings',
  },
  cwd: { type: 'string', placeholder: 'DIR', summary: 'Work as if started in this folder', complete: 'folders' },
  verbose: { type: 'boolean', summary: 'Show what goes on, and the details of failures' },
  'no-color': { type: 'boolean', summary: 'Write without colours' },
  'no-packs': { type: 'boolean', summary: 'Start with the built-in plugins only' },
} as const satisfies Readonly<Record<string, FlagSpec>>;

type FlagName = keyof typeof GLOBAL_FLAGS;

/** The global flags of one command line, and the words that are left. */
export interface GlobalFlags {
  readonly help: boolean;
  readonly version: boolean;
  readonly set: readonly string[];
  readonly cwd: string | undefined;
  readonly verbose: boolean;
  readonly noColor: boolean;
  readonly noPacks: boolean;
  readonly words: readonly string[];
}

const SHORT = new Map<string, FlagName>(
  Object.entries(GLOBAL_FLAGS).flatMap(([name, spec]) =>
    'short' in spec ? [[`-${spec.short}`, name as FlagName]] : [],
  ),
);

/** Takes the global flags out of a command line. They decide how Tenon starts, so they are read before any command is known. */
export function splitGlobalFlags(argv: readonly string[]): GlobalFlags {
  const words: string[] = [];
  const flags = new Set<FlagName>();
  const set: string[] = [];
  let cwd: string | undefined;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') {
      words.push(...argv.slice(index));
      break;
    }
    const [flag, inline] = splitInline(word);
    const name =
      SHORT.get(flag) ??
      (flag.startsWith('--') && flag.slice(2) in GLOBAL_FLAGS ? (flag.slice(2) as FlagName) : undefined);
    if (name === undefined) {
      words.push(word);
      continue;
    }
    const spec: FlagSpec = GLOBAL_FLAGS[name];
    if (spec.type === 'boolean') {
      if (inline !== undefined) throw errors.create('COMMAND_LINE_FLAG_NO_VALUE', { flag, value: inline });
      flags.add(name);
      continue;
    }
    const value = inline ?? argv[++index];
    if (value === undefined || value === '' || (inline === undefined && value.startsWith('-'))) {
      throw errors.create('COMMAND_LINE_FLAG_VALUE', { flag, placeholder: spec.placeholder });
    }
    if (name === 'set') set.push(value);
    else cwd = value;
  }
  return {
    help: flags.has('help'),
    version: flags.has('version'),
    verbose: flags.has('verbose'),
    noColor: flags.has('no-color'),
    noPacks: flags.has('no-packs'),
    set,
    cwd,
    words,
  };
}

function splitInline(word: string): [flag: string, value: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
