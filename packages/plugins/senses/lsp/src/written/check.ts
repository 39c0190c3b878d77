/** A file that was written, in a server that looks at it. */
import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { LanguageServer } from '../servers/language-server.ts';
import type { TextDocument } from '../text-document.ts';

/** One file in one server. */
export interface Check {
  readonly server: LanguageServer;
  readonly path: string;
  readonly document: TextDocument;
  readonly before: string;
  readonly itemsBefore: readonly Diagnostic[];
  /** The text now. */
  text: string;
  /** What the server had published when it was given the text. */
  since: number;
  /** What it was asked already. */
  readonly answer?: Promise<readonly Diagnostic[] | undefined>;
}

/** Gives the server the text of a file. */
export function setNow(check: Check, text: string): void {
  check.since = check.server.diagnostics.serial;
  check.text = text;
  check.server.setText(check.path, text);
}

/** What belongs to each file. */
export function byPath<T extends { readonly path: string }>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) groups.set(one.path, [...(groups.get(one.path) ?? []), one]);
  return groups;
}
