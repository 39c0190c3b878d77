/** Files with marks: `⟦name⟧` becomes the new name, `⟦name|text⟧` becomes that text, all else must stay as it is. */
export type MarkedFiles = Readonly<Record<string, string>>;

const MARK = /⟦([^⟧|]*)(?:\|([^⟧]*))?⟧/g;

/** The files without their marks. */
export function unmarked(files: MarkedFiles): Record<string, string> {
  return mapped(files, (_, name: string) => name);
}

/** The files as they must be afterwards. */
export function renamed(files: MarkedFiles, next: string): Record<string, string> {
  return mapped(files, (_, _name: string, text?: string) => text ?? next);
}

function mapped(files: MarkedFiles, make: (found: string, name: string, text?: string) => string) {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(MARK, make)]));
}
