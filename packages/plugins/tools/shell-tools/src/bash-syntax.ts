/** What the bash parser knows about a command, as far as the tool acts on it. */
import type { Accelerators } from '@tenon/native';

/** A parsed script. */
export type Script = Awaited<ReturnType<Accelerators['syntax']['parseBash']>>;
type Statement = Script['statements'][number];
type Redirect = Statement['redirects'][number];

/** One program with arguments that are known before it runs: no expansion, no pipe, no list, nothing in the background. */
export interface SimpleCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Files that it writes anew by `>`, `>|` or `&>`. */
  readonly writes: readonly string[];
  /** Files that it adds to by `>>`. */
  readonly appends: readonly string[];
  readonly hasHereDocument: boolean;
}

/** The command when it is a simple one; a leading `cd folder &&` is looked past. */
export function simpleCommandOf(script: Script): SimpleCommand | undefined {
  const [statement, ...rest] = script.statements;
  if (script.incomplete || !statement || rest.length > 0 || statement.background) return undefined;
  if (statement.type !== 'list') return simple(statement);
  const isAfterCd = statement.operator === '&&' && simple(statement.left)?.program === 'cd';
  return isAfterCd && statement.redirects.length === 0 ? simple(statement.right) : undefined;
}

/** True when what stands first runs in the shell itself, so that a `cd` there lasts. */
export function startsInShell({ statements, incomplete }: Script): boolean {
  const [first] = statements;
  return (
    !incomplete && first !== undefined && !first.background && first.type === 'list' && first.redirects.length === 0
  );
}

function simple(statement: Statement): SimpleCommand | undefined {
  if (statement.type !== 'command' || statement.background || statement.assignments.length > 0) return undefined;
  const words = [...(statement.name ? [statement.name] : []), ...statement.args];
  const values = words.map(({ value }) => value);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  const outputs = statement.redirects.filter(isFileOutput);
  if (outputs.some(({ target }) => target?.value === undefined)) return undefined;
  const targets = (isAppend: boolean) =>
    outputs
      .filter(({ operator }) => operator.endsWith('>>') === isAppend)
      .map(({ target }) => target?.value ?? '')
      .filter((path) => !path.startsWith('/dev/'));
  const [program = '', ...args] = values as string[];
  return {
    program: program.slice(program.lastIndexOf('/') + 1),
    args,
    writes: targets(false),
    appends: targets(true),
    hasHereDocument: statement.redirects.some(({ operator }) => operator === '<<' || operator === '<<-'),
  };
}

/** `2>&1` and `2>file` are about messages, not about writing a file. */
function isFileOutput({ operator, descriptor }: Redirect): boolean {
  const isOutput =
    operator === '>' || operator === '>>' || operator === '>|' || operator === '&>' || operator === '&>>';
  return isOutput && (descriptor === undefined || descriptor === '1');
}
