/** Files of editors that keep texts as lines, as Neovim and Emacs do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AcpSession } from '../src/acp-session.ts';
import type { Editor } from '../src/editor.ts';
import { editorFiles } from '../src/editor-files.ts';

let file: string;

beforeEach(() => {
  file = join(temporaryFolder(), 'a.txt');
});

/** An editor that shows a text and saves in its own way. */
function editorThat(shows: string, saves: (content: string) => void = () => {}) {
  const editor = {
    canRead: true,
    canWrite: true,
    readText: async () => shows,
    writeText: async (_session: string, _path: string, content: string) => saves(content),
  } as unknown as Editor;
  const sessionOf = () => ({ id: 's' }) as AcpSession;
  return editorFiles({ editor, log: { debug: () => {} } as never, sessionOf });
}

describe('what is not saved', () => {
  const unsaved = async (saved: string, shown: string) => {
    writeFileSync(file, saved);
    const found = await editorThat(shown).unsaved('s', file, new AbortController().signal);
    return found && Buffer.from(found).toString();
  };

  it('is nothing when the editor leaves out the end of the last line, carriage returns or the mark of the byte order', async () => {
    expect(await unsaved('one\ntwo\n', 'one\ntwo')).toBeUndefined();
    expect(await unsaved('\uFEFFone\r\ntwo\r\n', 'one\ntwo')).toBeUndefined();
    expect(await unsaved('one\r\ntwo\nthree\n', 'one\ntwo\nthree')).toBeUndefined();
  });

  it('has the line ends of the file, so that saving it changes nothing else', async () => {
    expect(await unsaved('one\ntwo\n', 'ONE\ntwo')).toBe('ONE\ntwo\n');
    expect(await unsaved('\uFEFFone\r\ntwo\r\n', 'ONE\ntwo')).toBe('\uFEFFONE\r\ntwo\r\n');
    expect(await unsaved('one\ntwo', 'ONE\ntwo')).toBe('ONE\ntwo');
    expect(await unsaved('one\n', '')).toBe('');
  });
});

it('what an editor has saved before it failed is saved', async () => {
  const save = (saves: (content: string) => void) => editorThat('', saves).save('s', file, Buffer.from('two\n'));
  const failing = () => {
    throw new Error('the buffer has changes');
  };
  await expect(save(failing)).rejects.toThrow('has changes');
  await expect(
    save((content) => {
      writeFileSync(file, content);
      failing();
    }),
  ).resolves.toBeUndefined();
});

describe('what a tool writes', () => {
  const written = async (saves: (content: string) => void) => {
    writeFileSync(file, 'one\n');
    return editorThat('one', saves).write('s', file, Buffer.from('two\nthree\n'));
  };

  it('is written by the editor, which may format it', async () => {
    expect(await written((content) => writeFileSync(file, content))).toBe(true);
    expect(await written((content) => writeFileSync(file, content.replace('two', '  two')))).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('  two\nthree\n');
  });

  it('is left to the tool by an editor that fails, saves nothing, adds an empty line or changes line ends', async () => {
    const failing = () => {
      throw new Error('the file changed on disk');
    };
    expect(await written(failing)).toBe(false);
    expect(await written(() => {})).toBe(false);
    expect(await written((content) => writeFileSync(file, `${content}\n`))).toBe(false);
    expect(await written((content) => writeFileSync(file, content.replaceAll('\n', '\r\n')))).toBe(false);
  });
});
