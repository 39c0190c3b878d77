/**
 * Reads the syntax tree of a shell script into plain data, for code that judges what it would do.
 *
 * The rule is that nothing that would run may get lost: what is not understood becomes a problem and marks the
 * script incomplete. The grammar attaches some nodes oddly (words after a redirection's target, whatever
 * follows a here-document's start); they are put back where the shell sees them.
 */
import type {
  BashAssignment,
  BashProblem,
  BashRedirect,
  BashScript,
  BashStatement,
  BashWord,
} from './bash-contract.ts';
import { type BashReader, readWord } from './bash-words.ts';
import type { TreeNode } from './contract.ts';

/** Reads the tree of a script. */
export function readBash(tree: TreeNode, source: string): BashScript {
  const reader = new Reader(source);
  const statements = reader.statements(tree);
  reader.noteErrors(tree);
  const problems = reader.problems.toSorted((left, right) => left.start - right.start);
  return { statements, incomplete: problems.length > 0, problems };
}

/** What hangs on a statement from the outside. */
interface Attached {
  readonly redirects: BashRedirect[];
  readonly args: BashWord[];
  /** What follows a here-document's start on the same line. */
  readonly tails: ((left: BashStatement) => BashStatement)[];
}

type Base = Pick<BashStatement, 'start' | 'end' | 'redirects' | 'background'>;

const REDIRECTS = new Set(['file_redirect', 'heredoc_redirect', 'herestring_redirect']);
const CLAUSES = new Set(['elif_clause', 'else_clause', 'do_group']);

class Reader implements BashReader {
  readonly #source: Buffer;
  readonly problems: BashProblem[] = [];

  constructor(source: string) {
    this.#source = Buffer.from(source);
  }

  text(node: TreeNode): string {
    return this.#source.toString('utf8', node.start, node.end);
  }

  statements(node: TreeNode): BashStatement[] {
    const statements: BashStatement[] = [];
    for (const child of node.children ?? []) {
      if (child.anonymous === true) {
        const last = statements.at(-1);
        if (child.kind === '&' && last !== undefined) statements[statements.length - 1] = { ...last, background: true };
      } else if (CLAUSES.has(child.kind)) {
        statements.push(...this.statements(child));
      } else if (REDIRECTS.has(child.kind)) {
        // `$(< file)`: a redirection without a command.
        const attached = this.#attached([child]);
        statements.push(wrap(attached, { ...base(child), redirects: attached.redirects, ...emptyCommand() }));
      } else if (child.kind !== 'comment') {
        statements.push(this.#statement(child));
      }
    }
    return statements;
  }

  /** Everything the parser itself could not make sense of. */
  noteErrors(node: TreeNode): void {
    if (node.error === true) this.#note('syntax-error', node.kind, node);
    if (node.missing === true) this.#note('missing', node.kind, node);
    for (const child of node.children ?? []) this.noteErrors(child);
  }

  #note(kind: BashProblem['kind'], what: string, node: TreeNode): void {
    this.problems.push({ kind, what, text: this.text(node), start: node.start, end: node.end });
  }

  #statement(node: TreeNode): BashStatement {
    const children = node.children ?? [];
    const at = base(node);
    switch (node.kind) {
      case 'command':
      case 'variable_assignment':
      case 'variable_assignments':
        return this.#command(node);
      case 'redirected_statement': {
        const attached = this.#attached(children.filter((child) => REDIRECTS.has(child.kind)));
        const body = children.find((child) => child.field === 'body');
        const inner = body === undefined ? { ...at, ...emptyCommand() } : this.#statement(body);
        return wrap(attached, this.#attach(inner, attached, node));
      }
      case 'pipeline':
        return {
          ...at,
          type: 'pipeline',
          commands: this.statements(node),
          operators: children.filter((child) => child.anonymous === true).map((child) => this.text(child)),
        };
      case 'list':
        return this.#list(node);
      case 'negated_command': {
        const [command] = this.statements(node);
        return command === undefined ? this.#unknown(node) : { ...at, type: 'not', command };
      }
      case 'subshell':
        return { ...at, type: 'subshell', body: this.statements(node) };
      case 'compound_statement':
        if (children[0]?.kind === '((') return this.#test(node);
        return { ...at, type: 'group', body: this.statements(node) };
      case 'if_statement':
        return { ...at, type: 'if', words: [], body: this.statements(node) };
      case 'while_statement':
        return {
          ...at,
          type: children[0]?.kind === 'until' ? 'until' : 'while',
          words: [],
          body: this.statements(node),
        };
      case 'for_statement':
        return this.#for(node);
      case 'c_style_for_statement':
        return {
          ...at,
          type: 'for',
          words: children
            .filter((child) => child.anonymous !== true && child.field !== 'body')
            .map((child) => readWord(child, this)),
          body: this.#body(node),
        };
      case 'case_statement':
        return this.#case(node);
      case 'function_definition': {
        const attached = this.#attached(children.filter((child) => REDIRECTS.has(child.kind)));
        const name = children.find((child) => child.field === 'name');
        const functionName = name === undefined ? '' : this.text(name);
        return { ...at, redirects: attached.redirects, type: 'function', functionName, body: this.#body(node) };
      }
      case 'test_command':
        return this.#test(node);
      case 'declaration_command':
      case 'unset_command':
        return this.#declaration(node);
      default:
        return this.#unknown(node);
    }
  }

  #unknown(node: TreeNode): BashStatement {
    // An error node is noted once, by `noteErrors`.
    if (node.error !== true) this.#note('not-understood', node.kind, node);
    return { ...base(node), type: 'unknown', text: this.text(node) };
  }

  #command(node: TreeNode): BashStatement {
    const assignments: BashAssignment[] = [];
    const args: BashWord[] = [];
    const outside: TreeNode[] = [];
    let name: BashWord | undefined;
    const parts = node.kind === 'variable_assignment' ? [node] : (node.children ?? []);
    for (const child of parts) {
      if (child.kind === 'variable_assignment') assignments.push(this.#assignment(child));
      else if (child.field === 'name') name = readWord(child, this);
      else if (REDIRECTS.has(child.kind)) outside.push(child);
      else if (child.kind !== 'comment') args.push(readWord(child, this));
    }
    const attached = this.#attached(outside);
    const command: BashStatement = {
      ...base(node),
      redirects: attached.redirects,
      type: 'command',
      ...(name === undefined ? {} : { name }),
      args: [...args, ...attached.args],
      assignments,
    };
    return wrap(attached, command);
  }

  #assignment(node: TreeNode): BashAssignment {
    const children = node.children ?? [];
    const name = children.find((child) => child.field === 'name');
    const value = children.find((child) => child.field === 'value');
    const words = (of: TreeNode): BashWord | BashWord[] =>
      of.kind === 'array'
        ? (of.children ?? []).filter((child) => child.anonymous !== true).map((child) => readWord(child, this))
        : readWord(of, this);
    return {
      name: name === undefined ? '' : this.text(name),
      append: children.some((child) => child.kind === '+='),
      value: value === undefined ? undefined : words(value),
    };
  }

  #list(node: TreeNode): BashStatement {
    const [left, right, ...more] = this.statements(node);
    const operator = (node.children ?? []).find((child) => child.kind === '&&' || child.kind === '||')?.kind;
    const isList = operator === '&&' || operator === '||';
    if (left === undefined || right === undefined || more.length > 0 || !isList) return this.#unknown(node);
    return { ...base(node), type: 'list', operator, left, right };
  }

  #for(node: TreeNode): BashStatement {
    const children = node.children ?? [];
    const variable = children.find((child) => child.field === 'variable');
    return {
      ...base(node),
      type: children[0]?.kind === 'select' ? 'select' : 'for',
      ...(variable === undefined ? {} : { variable: this.text(variable) }),
      words: children.filter((child) => child.field === 'value').map((child) => readWord(child, this)),
      body: this.#body(node),
    };
  }

  #case(node: TreeNode): BashStatement {
    const words: BashWord[] = [];
    const body: BashStatement[] = [];
    for (const child of node.children ?? []) {
      if (child.field === 'value') words.push(readWord(child, this));
      if (child.kind !== 'case_item') continue;
      const inside = child.children ?? [];
      words.push(...inside.filter((part) => part.field === 'value').map((part) => readWord(part, this)));
      body.push(...this.statements({ ...child, children: inside.filter((part) => part.field !== 'value') }));
    }
    return { ...base(node), type: 'case', words, body };
  }

  /** The statements of the `body` field, whose node may be a group of its own. */
  #body(node: TreeNode): BashStatement[] {
    const body = (node.children ?? []).find((child) => child.field === 'body');
    if (body === undefined) return [];
    return body.kind === 'do_group' ? this.statements(body) : [this.#statement(body)];
  }

  #test(node: TreeNode): BashStatement {
    const inside = (node.children ?? []).filter((child) => child.anonymous !== true);
    return { ...base(node), type: 'test', words: inside.map((child) => readWord(child, this)) };
  }

  #declaration(node: TreeNode): BashStatement {
    const [keyword, ...rest] = node.children ?? [];
    return {
      ...base(node),
      type: 'declaration',
      keyword: keyword === undefined ? '' : this.text(keyword),
      args: rest
        .filter((child) => child.kind !== 'variable_assignment' && child.kind !== 'comment')
        .map((child) => readWord(child, this)),
      assignments: rest.filter((child) => child.kind === 'variable_assignment').map((child) => this.#assignment(child)),
    };
  }

  #attached(nodes: readonly TreeNode[]): Attached {
    const attached: Attached = { redirects: [], args: [], tails: [] };
    for (const node of nodes) {
      if (node.kind === 'heredoc_redirect') this.#heredoc(node, attached);
      else attached.redirects.push(this.#redirect(node, attached));
    }
    return attached;
  }

  #redirect(node: TreeNode, attached: Attached): BashRedirect {
    const children = node.children ?? [];
    const descriptor = children.find((child) => child.field === 'descriptor');
    const operator = children.find((child) => child.anonymous === true);
    const words = children.filter((child) => child.anonymous !== true && child !== descriptor);
    const [target, ...after] = words.map((child) => readWord(child, this));
    // The shell redirects to one word only; the grammar also takes the command's next words.
    attached.args.push(...after);
    return {
      operator: operator === undefined ? '' : this.text(operator),
      ...(descriptor === undefined ? {} : { descriptor: this.text(descriptor) }),
      ...(target === undefined ? {} : { target }),
    };
  }

  #heredoc(node: TreeNode, attached: Attached): void {
    const redirect: { -readonly [K in keyof BashRedirect]: BashRedirect[K] } = { operator: '<<' };
    attached.redirects.push(redirect);
    let operator: string | undefined;
    for (const child of node.children ?? []) {
      if (child.field === 'descriptor') redirect.descriptor = this.text(child);
      else if (child.kind === '<<' || child.kind === '<<-') redirect.operator = child.kind;
      else if (child.kind === 'heredoc_start') redirect.target = readWord({ ...child, kind: 'word' }, this);
      else if (child.kind === 'heredoc_body') redirect.body = readWord(child, this);
      else if (child.kind === 'heredoc_end' || child.kind === 'comment') continue;
      else if (child.kind === '&&' || child.kind === '||') operator = child.kind;
      else if (child.field === 'argument') attached.args.push(readWord(child, this));
      else if (REDIRECTS.has(child.kind)) {
        const inner = this.#attached([child]);
        attached.redirects.push(...inner.redirects);
        attached.args.push(...inner.args);
        attached.tails.push(...inner.tails);
      } else if (child.kind === 'pipeline') attached.tails.push(this.#pipeTail(child));
      else if (child.anonymous !== true) attached.tails.push(this.#listTail(child, operator));
    }
  }

  /** Gives redirections and the words after them to the command they stand behind: the last one of a statement. */
  #attach(statement: BashStatement, attached: Attached, node: TreeNode): BashStatement {
    const { end } = node;
    switch (statement.type) {
      case 'pipeline': {
        const last = statement.commands.at(-1);
        if (last === undefined) break;
        return {
          ...statement,
          end,
          commands: [...statement.commands.slice(0, -1), this.#attach(last, attached, node)],
        };
      }
      case 'list':
        return { ...statement, end, right: this.#attach(statement.right, attached, node) };
      case 'not':
        return { ...statement, end, command: this.#attach(statement.command, attached, node) };
      case 'command': {
        const bare = statement.name === undefined && statement.assignments.length === 0;
        const [name, ...after] = attached.args;
        const redirects = [...statement.redirects, ...attached.redirects];
        if (bare && name !== undefined) return { ...statement, end, redirects, name, args: after };
        return { ...statement, end, redirects, args: [...statement.args, ...attached.args] };
      }
      default:
        break;
    }
    const redirects = [...statement.redirects, ...attached.redirects];
    if (statement.type === 'declaration') {
      return { ...statement, end, redirects, args: [...statement.args, ...attached.args] };
    }
    if (attached.args.length > 0) this.#note('not-understood', 'words after a redirection', node);
    return { ...statement, end, redirects };
  }

  #pipeTail(node: TreeNode): (left: BashStatement) => BashStatement {
    const operators = (node.children ?? [])
      .filter((child) => child.anonymous === true)
      .map((child) => this.text(child));
    const commands = this.statements(node);
    return (left) => ({ ...base(node), start: left.start, type: 'pipeline', commands: [left, ...commands], operators });
  }

  #listTail(node: TreeNode, operator: string | undefined): (left: BashStatement) => BashStatement {
    const right = this.#statement(node);
    if (operator === undefined) this.#note('not-understood', node.kind, node);
    return (left) => ({
      ...base(node),
      start: left.start,
      type: 'list',
      operator: operator === '||' ? '||' : '&&',
      left,
      right,
    });
  }
}

function base(node: TreeNode): Base {
  return { start: node.start, end: node.end, redirects: [], background: false };
}

function emptyCommand(): { readonly type: 'command'; readonly args: []; readonly assignments: [] } {
  return { type: 'command', args: [], assignments: [] };
}

function wrap(attached: Attached, statement: BashStatement): BashStatement {
  return attached.tails.reduce((left, tail) => tail(left), statement);
}
