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
      const content = Buffer.from(shown);
      if (saved.equals(content)) return undefined;
      // Editors may drop a mark of the byte order, or show other line ends: that is no change of the user.
      return same(textOf(saved), shown) ? undefined : content;
    },
    async save(session, path, content) {
      const owner = editor.canWrite ? sessionOf(session) : undefined;
      const text = textOf(content);
      if (owner && text !== undefined) await editor.writeText(owner.id, path, text, AbortSignal.timeout(EDITOR_MS));
    },
    async written(session, files) {
      const owner = sessionOf(session);
      if (!owner) return files;
      const shown = editor.canWrite ? await Promise.all(files.map((file) => show(owner.id, file))) : files;
      if (owner.agent.session.id === session) owner.changed(shown);
      return shown;
    },
  };

  /** Shows a written file in the editor, which may format it when it saves. */
  async function show(session: string, file: WrittenFile): Promise<WrittenFile> {
    const { path, after } = file;
    const text = after && after.length <= MAX_BYTES ? textOf(after) : undefined;
    if (text === undefined) return file;
    try {
      await editor.writeText(session, path, text, AbortSignal.timeout(EDITOR_MS));
    } catch (fault) {
      // The file is written; the editor will see it on disk.
      log.debug(`the editor did not take ${path}: ${messageOf(fault)}`);
      return file;
    }
    const now = await onDisk(path);
    return now === undefined ? file : { ...file, after: now };
  }
}

async function onDisk(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? await readFile(path) : undefined;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
    return undefined; // It is not there, or cannot be read: the tool itself will say so.
  }
}

function same(saved: string | undefined, shown: string): boolean {
  const plain = (text: string) => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return saved !== undefined && plain(saved) === plain(shown);
}
