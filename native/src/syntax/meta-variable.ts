/** A metavariable of a pattern. */
export type MetaVariable =
  | { readonly type: 'capture'; readonly name: string; readonly namedOnly: boolean }
  | { readonly type: 'dropped'; readonly namedOnly: boolean }
  | { readonly type: 'ellipsis'; readonly name: string | undefined };

/** The metavariable that a text is, with `sigil` in the place of `$`. */
export function metaVariable(text: string, sigil: string): MetaVariable | undefined {
  if (!text.startsWith(sigil)) return undefined;
  let count = 0;
  while (count < 3 && text.startsWith(sigil, count * sigil.length)) count += 1;
  const name = text.slice(count * sigil.length);
  if (count === 3 && name === '') return { type: 'ellipsis', name: undefined };
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return undefined;
  const dropped = name.startsWith('_');
  if (count === 3) return { type: 'ellipsis', name: dropped ? undefined : name };
  const namedOnly = count === 1;
  return dropped ? { type: 'dropped', namedOnly } : { type: 'capture', name, namedOnly };
}
