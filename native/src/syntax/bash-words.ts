/** Words of a shell script: what they say, what they depend on, and what runs to make them. */
import type { BashStatement, BashWord } from './bash-contract.ts';
import type { TreeNode } from './contract.ts';

/** What reading a tree needs around it. */
export interface BashReader {
  /** The source text of a node. */
  text(node: TreeNode): string;
  /** The statements among the children of a node. */
  statements(node: TreeNode): BashStatement[];
}

interface Parts {
  readonly expands: string[];
  readonly runs: BashStatement[][];
  globs: boolean;
}

/** Reads any node as a word. */
export function readWord(node: TreeNode, reader: BashReader): BashWord {
  const parts: Parts = { expands: [], runs: [], globs: false };
  const value = valueOf(node, reader, parts);
  return {
    text: reader.text(node),
    ...(value === undefined || parts.globs ? {} : { value }),
    expands: [...new Set(parts.expands)],
    runs: parts.runs,
    globs: parts.globs,
  };
}

/** The value of a node when it is certain; collects what it depends on either way. */
function valueOf(node: TreeNode, reader: BashReader, parts: Parts): string | undefined {
  const text = reader.text(node);
  switch (node.kind) {
    case 'word':
    case 'variable_name':
    case 'special_variable_name':
    case 'extglob_pattern':
    case 'regex':
      if ((node.children ?? []).length > 0) return collect(node, reader, parts);
      return bareValue(text, node.kind, parts);
    case 'number':
      return (node.children ?? []).length > 0 ? collect(node, reader, parts) : text;
    case 'raw_string':
      return text.slice(1, -1);
    case 'ansi_c_string':
      return ansiValue(text.slice(2, -1));
    case 'string':
      if (dynamicChildren(node).length > 0) return collect(node, reader, parts);
      return text.slice(1, -1).replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
    case 'brace_expression':
      parts.globs = true;
      return undefined;
    case 'command_name':
    case 'concatenation': {
      const values = (node.children ?? []).map((child) => valueOf(child, reader, parts));
      if (/^~|[^\\]\{[^}]*(,|\.\.)[^}]*\}|^\{[^}]*(,|\.\.)[^}]*\}/.test(text) && node.kind === 'concatenation') {
        parts.globs = true;
      }
      return values.every((value) => value !== undefined) ? values.join('') : undefined;
    }
    default:
      if (node.anonymous === true && (node.children ?? []).length === 0) return bareValue(text, 'word', parts);
      return collect(node, reader, parts);
  }
}

/** An unquoted piece: backslashes are removed, globs and `~` make it uncertain. */
function bareValue(text: string, kind: string, parts: Parts): string | undefined {
  const unescaped = text.replace(/\\./gs, '');
  if (/[*?[]/.test(unescaped) || kind === 'extglob_pattern' || kind === 'regex') parts.globs = true;
  if (text.startsWith('~')) {
    parts.expands.push('~');
    return undefined;
  }
  return text.replace(/\\(\n)|\\(.)/gs, (_, newline: string | undefined, escaped: string | undefined) =>
    newline === undefined ? (escaped ?? '') : '',
  );
}

function dynamicChildren(node: TreeNode): TreeNode[] {
  return (node.children ?? []).filter((child) => child.anonymous !== true && child.kind !== 'string_content');
}

/** Notes every expansion and substitution below a node; its value is then uncertain. */
function collect(node: TreeNode, reader: BashReader, parts: Parts): undefined {
  if (node.kind === 'command_substitution' || node.kind === 'process_substitution') {
    parts.runs.push(reader.statements(node));
    return undefined;
  }
  for (const child of node.children ?? []) {
    if (child.kind === 'variable_name' || child.kind === 'special_variable_name')
      parts.expands.push(reader.text(child));
    collect(child, reader, parts);
  }
  return undefined;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const ANSI_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs;

/** The value of `$'…'`. */
function ansiValue(text: string): string | undefined {
  let certain = true;
  const value = text.replace(ANSI_ESCAPE, (whole: string, hex, short, long, octal, control, simple) => {
    const digits: string | undefined = hex ?? short ?? long;
    if (digits !== undefined || octal !== undefined) {
      const code = digits === undefined ? Number.parseInt(octal, 8) & 0xff : Number.parseInt(digits, 16);
      // Bytes above 127 join to characters in ways that depend on the locale.
      if (code > 0x10_ffff || ((hex !== undefined || octal !== undefined) && code > 0x7f)) certain = false;
      return code > 0x10_ffff ? whole : String.fromCodePoint(code);
    }
    if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    return SIMPLE_ESCAPES[simple] ?? whole;
  });
  return certain ? value : undefined;
}
