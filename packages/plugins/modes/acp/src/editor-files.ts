/** Files as the editor shows them: tools read what is not saved yet, and the editor hears what tools have written. */
import { readFile, stat } from 'node:fs/promises';
import type { EditorFiles, WrittenFile } from '@tenon/file-tools/api';
import { type Logger, messageOf } from '@tenon/kernel';
import type { AcpSession } from './acp-session.ts';
import type { Editor } from './editor.ts';
import { textOf } from './tool-calls.ts';

/** Larger files are read and written without the editor. */
const MAX_BYTES = 4 * 1024 * 1024;
/** An editor that does not answer must not hold up a tool. */
const EDITOR_MS = 10_000;

/** What the files of an editor need. */
export interface EditorFilesParts {
  readonly editor: Editor;
  readonly log: Logger;
  /** The session that this one is, or works for. */
  sessionOf(session: string): AcpSession | undefined;
}

/** Makes the link between the file tools and the editor. */
export function editorFiles({ editor, log, sessionOf }: EditorFilesParts): EditorFiles {
  return {
    async unsaved(session, path, signal) {
      const owner = editor.canRead ? sessionOf(session) : undefined;
      if (!owner) return undefined;
      const saved = await onDisk(path);
      if (saved === undefined) return undefined;
      let shown: string;
      try {
        shown = await editor.readText(owner.id, path, AbortSignal.any([signal, AbortSignal.timeout(EDITOR_MS)]));
      } catch (fault) {
        signal.throwIfAborted();
        // It does not know the file, or it is outside of what it opens: the one on disk counts.
        log.debug(`the editor did not give ${path}: ${messageOf(fault)}`);
        return undefined;
      }
      const content = Buffer.from(asSaved(shown, textOf(saved)));
      return saved.equals(content) || isBent(saved, content) ? undefined : content;
    },
    async save(session, path, content) {
      const owner = editor.canWrite ? sessionOf(session) : undefined;
      const text = textOf(content);
      if (!owner || text === undefined) return;
      try {
        await editor.writeText(owner.id, path, text, AbortSignal.timeout(EDITOR_MS));
      } catch (fault) {
        // Some save it and then fail, or never answer, because the text that they show has changes: nothing of those is lost.
        if ((await onDisk(path))?.equals(content) !== true) throw fault;
      }
    },
    async write(session, path, content) {
      const owner = editor.canWrite && content.length <= MAX_BYTES ? sessionOf(session) : undefined;
      const text = textOf(content);
      if (!owner || text === undefined) return false;
      const before = await onDisk(path);
      try {
        await editor.writeText(owner.id, path, text, AbortSignal.timeout(EDITOR_MS));
      } catch (fault) {
        log.debug(`the editor did not take ${path}: ${messageOf(fault)}`);
        return false;
      }
      const now = await onDisk(path);
      // It may format what it saves. What it only keeps in memory, or bends, has to be written.
      if (now === undefined || now.equals(content)) return now !== undefined;
      return before?.equals(now) !== true && !isBent(content, now);
    },
    async written(session, files) {
      const owner = sessionOf(session);
      if (!owner) return files;
      const now = editor.canWrite ? await Promise.all(files.map(asItIs)) : files;
      if (owner.agent.session.id === session) owner.changed(now);
      return now;
    },
  };
}

/** A written file as the editor has left it: it may have formatted it. */
async function asItIs(file: WrittenFile): Promise<WrittenFile> {
  const isText = file.after && file.after.length <= MAX_BYTES && textOf(file.after) !== undefined;
  const now = isText ? await onDisk(file.path) : undefined;
  return now === undefined ? file : { ...file, after: now };
}

/** What a file holds; nothing for one that is not there, is no file or is too large. */
export async function onDisk(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? await readFile(path) : undefined;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
    return undefined; // It is not there, or cannot be read: the tool itself will say so.
  }
}

const plain = (text: string) => text.replace(/^\uFEFF/, '').replaceAll(/\r+\n/g, '\n');

/**
 * Gives what the editor shows the form that the file has. Editors keep a text as lines: many leave out the end of the last one, carriage
 * returns and the mark of the byte order, which no user has deleted.
 */
function asSaved(shown: string, saved: string | undefined): string {
  if (saved === undefined) return shown;
  const isDos = !shown.includes('\r') && /\r\n/.test(saved) && !/(?<!\r)\n/.test(saved);
  const closed = shown !== '' && saved.endsWith('\n') && !shown.endsWith('\n') ? `${shown}\n` : shown;
  const lines = isDos ? closed.replaceAll('\n', '\r\n') : closed;
  return saved.startsWith('\uFEFF') && !shown.startsWith('\uFEFF') ? `\uFEFF${lines}` : lines;
}

/** Whether a text differs only in line ends, in the mark of the byte order, or by an empty line at its end, as editors of lines make it. */
function isBent(content: Uint8Array, found: Uint8Array): boolean {
  const [text, other] = [textOf(content), textOf(found)];
  if (text === undefined || other === undefined) return false;
  return plain(other) === plain(text) || (text.endsWith('\n') && plain(other) === `${plain(text)}\n`);
}
