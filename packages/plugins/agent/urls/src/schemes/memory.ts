/** `memory://PATH.md`: what is worth knowing about a project the next time, as Markdown files in the data folder. */
import { createHash } from 'node:crypto';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
    const project = await projectOf(scope?.cwd ?? (await host.cwd()));
    return join(await host.dataFolder(), 'memory', folderName(project));
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

/** The nearest folder that is a repository or has settings of its own; else the folder itself. */
async function projectOf(cwd: string): Promise<string> {
  const start = await realpath(cwd).catch(() => cwd); // A folder that is gone still has its memories.
  for (let folder = start; ; folder = dirname(folder)) {
    for (const mark of ['.git', '.tenon']) {
      if (await stat(join(folder, mark)).catch(() => undefined)) return folder; // out of reach is as good as absent
    }
    if (dirname(folder) === folder) return start;
  }
}

/** Readable, and different for projects of the same name. */
function folderName(project: string): string {
  const readable =
    basename(project)
      .replaceAll(/[^\w-]+/g, '-')
      .slice(0, 40) || 'root';
  return `${readable}-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`;
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
