/**
 * Imports in JavaScript cells. A cell is a script, which cannot import statically and whose `import()` Node does not serve, so both
 * become calls of a helper that the kernel provides. The syntax tree tells what is code and what only looks like it.
 */
import type { Accelerators } from '@tenon/native';

/** The helper's name in the kernel. */
export const IMPORT_HELPER = '__tenon_import__';
const META_HELPER = '__tenon_meta__';

type Tree = Extract<Awaited<ReturnType<Accelerators['syntax']['tree']>>, { ok: true }>['value'];

/** The code with its imports replaced; lines stay where they are. Code that cannot be parsed is left to the kernel's message. */
export async function rewriteImports(code: string, syntax: () => Promise<Accelerators['syntax']>): Promise<string> {
  if (!/\bimport\b/.test(code)) return code;
  const parsed = await (await syntax()).tree({ content: code, language: 'javascript' });
  if (!parsed.ok) return code;
  const bytes = Buffer.from(code);
  const changes: { start: number; end: number; text: string }[] = [];
  const textOf = (node: Tree) => bytes.subarray(node.start, node.end).toString('utf8');
  const visit = (node: Tree): void => {
    if (node.kind === 'import_statement') changes.push({ ...node, text: statement(node, textOf) });
    else if (node.kind === 'meta_property' && textOf(node) === 'import.meta')
      changes.push({ ...node, text: META_HELPER });
    else if (node.kind === 'import' && node.field === 'function') changes.push({ ...node, text: IMPORT_HELPER });
    else for (const child of node.children ?? []) visit(child);
  };
  visit(parsed.value);
  let result = bytes;
  for (const { start, end, text } of changes.toSorted((a, b) => b.start - a.start)) {
    result = Buffer.concat([result.subarray(0, start), Buffer.from(text), result.subarray(end)]);
  }
  return result.toString('utf8');
}

function statement(node: Tree, textOf: (node: Tree) => string): string {
  const children = node.children ?? [];
  const source = children.find(({ kind, field }) => field === 'source' || kind === 'string');
  if (!source) return textOf(node);
  const attributes = children.find(({ kind }) => kind === 'import_attribute');
  const options = attributes?.children?.find(({ kind }) => kind === 'object');
  const call = `await ${IMPORT_HELPER}(${textOf(source)}${options ? `, { with: ${textOf(options)} }` : ''})`;
  const clause = children.find(({ kind }) => kind === 'import_clause');
  // An import over several lines keeps their number, so that errors name the right ones.
  const breaks = '\n'.repeat(textOf(node).split('\n').length - 1);
  if (!clause) return `${call};${breaks}`;
  const names: string[] = [];
  let all: string | undefined;
  for (const part of clause.children ?? []) {
    if (part.kind === 'identifier') names.push(`default: ${textOf(part)}`);
    if (part.kind === 'namespace_import')
      all = part.children?.find(({ kind }) => kind === 'identifier') && textOf(part).replace(/^\*\s*as\s+/, '');
    if (part.kind === 'named_imports') {
      for (const child of part.children ?? [])
        if (child.kind === 'import_specifier') names.push(specifier(child, textOf));
    }
  }
  const pattern = `{ ${names.join(', ')} }`;
  if (all === undefined) return `const ${pattern} = ${call};${breaks}`;
  const rest = names.length > 0 ? ` const ${pattern} = ${all};` : '';
  return `const ${all} = ${call};${rest}${breaks}`;
}

function specifier(node: Tree, textOf: (node: Tree) => string): string {
  const [name, alias] = (node.children ?? []).filter(({ anonymous }) => !anonymous).map(textOf);
  return alias === undefined ? String(name) : `${name}: ${alias}`;
}
