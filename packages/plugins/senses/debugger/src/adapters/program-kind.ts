/** What a program is, by its name and its first bytes: that decides which debugger fits. */
import { open, readdir, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { LaunchForm } from '../api.ts';
import { errors } from '../errors.ts';

/** What is known of a program before it runs. */
export type ProgramKind =
  | { readonly type: 'source'; readonly extension: string }
  | { readonly type: 'compiled'; readonly by: 'go' | 'native' }
  | { readonly type: 'folder'; readonly names: readonly string[] }
  | { readonly type: 'unknown'; readonly extension: string };

/** Go's linker puts a note with its build id into the first page or two: type 4, owner "Go". */
const HEAD_BYTES = 16 * 1024;
const GO_MARK = '\u0004\0\0\0Go\0\0';
/** ELF, and Mach-O in its four forms. */
const COMPILED = ['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe'];
const INTERPRETERS: readonly (readonly [RegExp, string])[] = [
  [/\bpython[\d.]*\b/, '.py'],
  [/\b(?:node|nodejs|tsx)\b/, '.js'],
  [/\bruby\b/, '.rb'],
  [/\b(?:ba|da)?sh\b/, '.sh'],
];

/** Looks at a program. Throws `DEBUG_NO_PROGRAM` when it cannot be read. */
export async function programKind(path: string): Promise<ProgramKind> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) return { type: 'folder', names: await readdir(path) };
    if (!info.isFile()) throw new Error('it is not a file');
    const head = await headOf(path);
    if (COMPILED.includes(head.subarray(0, 4).toString('hex')))
      return { type: 'compiled', by: head.includes(GO_MARK) ? 'go' : 'native' };
    const extension = extname(path).toLowerCase();
    if (extension !== '') return { type: 'source', extension };
    const shebang = /^#!.*/.exec(head.subarray(0, 256).toString('latin1'))?.[0] ?? '';
    const found = INTERPRETERS.find(([name]) => name.test(shebang))?.[1];
    return found === undefined ? { type: 'unknown', extension: '' } : { type: 'source', extension: found };
  } catch (fault) {
    throw errors.create(
      'DEBUG_NO_PROGRAM',
      { program: path, reason: isMissing(fault) ? 'there is no such file' : messageOf(fault) },
      fault,
    );
  }
}

function isMissing(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === 'ENOENT';
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether a form of launch is for such a program. */
export function fits(form: LaunchForm, kind: ProgramKind): boolean {
  switch (kind.type) {
    case 'source':
      return form.extensions?.includes(kind.extension) ?? false;
    case 'compiled':
      return form.compiled?.includes(kind.by) ?? false;
    case 'folder':
      return form.foldersWith?.some((name) => kind.names.includes(name)) ?? false;
    case 'unknown':
      return false;
  }
}

/** In words, for messages. */
export function kindText(kind: ProgramKind): string {
  switch (kind.type) {
    case 'source':
      return `a ${kind.extension} file`;
    case 'compiled':
      return kind.by === 'go' ? 'a program compiled by Go' : 'a compiled program';
    case 'folder':
      return 'this folder';
    case 'unknown':
      return 'a file of an unknown kind';
  }
}
