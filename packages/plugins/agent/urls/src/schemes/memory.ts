/** `memory://PATH.md`: what is worth knowing about a project the next time, as Markdown files in the data folder. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { projectName } from '@tenon/host';
import { parseAddress } from '../address.ts';
import type { UrlCall, UrlScheme } from '../api.ts';
import { filesInside, listingText, pathInside, readInside, writeInside } from '../contained-folder.ts';
import { errors } from '../errors.ts';

const FORM = 'memory://NAME.md; memory:// lists the memories of this project';
const HEAD_BYTES = 4096;

/** What the scheme needs to know. */
export interface MemoryHost {
  dataFolder(): Promise<string>;
  cwd(): Promise<string>;
}

/** The scheme over the memories of the project around the working folder. */
export function memoryScheme(host: MemoryHost): UrlScheme {
  const rootOf = async ({ scope }: UrlCall) => {
    const name = await projectName(scope?.cwd ?? (await host.cwd()));
    return join(await host.dataFolder(), 'memory', name);
  };
  const fileOf = (url: string): readonly string[] => {
    const { segments } = parseAddress(url, FORM);
    if (segments.at(-1)?.endsWith('.md')) return segments;
    throw errors.create('URLS_INVALID', { url, reason: 'memories are Markdown files', form: FORM });
  };
  return {
    async read(url, call) {
      const { segments } = parseAddress(url, FORM);
      const root = await rootOf(call);
      const last = segments.at(-1);
      // The ending may be left out: the listing is read by models, and they do.
      const named = last === undefined || last.endsWith('.md') ? segments : [...segments.slice(0, -1), `${last}.md`];
      const content = (await readInside(root, segments, url)) ?? (await readInside(root, named, url));
      if (content !== undefined && content !== 'folder') return content;
      if (content === undefined && segments.length > 0) {
        throw errors.create('URLS_NOT_FOUND', { url, hint: 'memory:// lists what there is.' });
      }
      const listed = await filesInside(root, segments, url);
      const titles = new Map<string, string>();
      for (const { path } of listed.files) titles.set(path, await titleOf(path));
      const listing = listingText('memory', listed, ({ path }) => titles.get(path) ?? '');
      return { content: listing || 'Nothing is remembered about this project yet.', contentType: 'text/plain' };
    },
    async write(url, content, call) {
      await writeInside(await rootOf(call), fileOf(url), url, content);
    },
    locate: async (url, call) => pathInside(await rootOf(call), parseAddress(url, FORM).segments, url),
  };
}

/** What the frontmatter describes it as, else its first heading, else its first line. */
async function titleOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 });
    const text = buffer.toString('utf8', 0, bytesRead);
    const [, front = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
    const title =
      /^description:\s*(.+)$/m.exec(front)?.[1] ?? /^#+\s+(.+)$/m.exec(body)?.[1] ?? /\S.*/.exec(body)?.[0] ?? '';
    return title
      .trim()
      .replaceAll(/^["']|["']$/g, '')
      .slice(0, 160);
  } finally {
    await file.close();
  }
}
