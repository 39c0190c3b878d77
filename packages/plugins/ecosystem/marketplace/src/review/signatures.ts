/** Signatures of catalogues and plugins: a bad one refuses, an absent one is said, and a key that was seen once stays. */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { errors } from '../errors.ts';
import { type FileRecord, filesHash } from '../tree/file-list.ts';
import { parseKey, signatureProblem } from './minisign.ts';

/** Beside a catalogue: its signature, and the key for those who have none yet. */
export function signatureFiles(catalogue: string): { readonly signature: string; readonly key: string } {
  return { signature: `${catalogue}.minisig`, key: posix.join(posix.dirname(catalogue), 'minisign.pub') };
}
/** Inside a plugin: the signature of its fingerprint, and its key. */
export const PLUGIN_SIGNATURE = '.claude-plugin/plugin.minisig';
export const PLUGIN_KEY = '.claude-plugin/plugin.pub';

/** Longer files are no signatures. */
export const MAX_SIGNATURE_BYTES = 4_096;

/** What is known about who signed something. */
export interface Signing {
  /** The key that it was checked with, to be kept. */
  readonly key?: string;
  /** One sentence for people. */
  readonly text: string;
}

/** What there is to check. */
export interface Signed {
  readonly what: string;
  readonly message: Uint8Array;
  readonly signature: string | undefined;
  /** The key that came along, which counts only when none is known. */
  readonly offered: string | undefined;
  /** The key from before, or from the user. */
  readonly known: string | undefined;
}

/** Checks a signature. Throws when it is bad, or missing although a key is known. */
export function checkSignature({ what, message, signature, offered, known }: Signed): Signing {
  const bad = (reason: string) => errors.create('MARKETPLACE_SIGNATURE', { what, reason });
  if (signature === undefined) {
    if (known !== undefined) throw bad(`there is none, but it was signed with the key ${parseKey(known).id} before`);
    return { text: 'not signed' };
  }
  const text = known ?? offered;
  if (text === undefined) return { text: 'signed, but there is no key to check it with' };
  const key = parseKey(text);
  const problem = signatureProblem(message, signature, key);
  if (problem !== undefined) throw bad(problem);
  const since =
    known === undefined ? 'seen for the first time, so it says nothing about who that is' : 'known from before';
  return { key: key.text, text: `signed with the key ${key.id} (${since})` };
}

/** The text that authors of plugins sign. */
export function pluginStatement(files: readonly FileRecord[]): string {
  return `${filesHash(files.filter(({ path }) => path !== PLUGIN_SIGNATURE))}\n`;
}

/** Checks the signature inside of a plugin. A missing one is said here; whether that is news is for the review to say. */
export async function checkPlugin(
  what: string,
  folder: string,
  files: readonly FileRecord[],
  known: string | undefined,
): Promise<Signing> {
  const read = async (path: string) => {
    const file = files.find((candidate) => candidate.path === path && candidate.mode !== 'link');
    if (file === undefined || file.size > MAX_SIGNATURE_BYTES) return undefined;
    return readFile(join(folder, path), 'utf8');
  };
  const signature = await read(PLUGIN_SIGNATURE);
  const offered = await read(PLUGIN_KEY);
  const message = Buffer.from(pluginStatement(files));
  // Another key, or none any more, is shown as a change; the user may know about it.
  const isSame = known !== undefined && offered !== undefined && parseKey(offered).text === known;
  return checkSignature({ what, message, signature, offered, known: isSame ? known : undefined });
}
