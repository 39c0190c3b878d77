/** Entries in a CHANGELOG with a section for what is not released. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import type { Message } from './message.ts';

/** The file of the project, as it is staged. */
export interface Changelog {
  readonly path: string;
  readonly mode: string;
  readonly text: string;
}

const UNRELEASED = /^##\s+\[?unreleased\]?.*$/im;

/** The changelog that git knows, if it has a section for what is not released. */
export async function findChangelog(git: Git): Promise<Changelog | undefined> {
  const listed = await git.run(['ls-files', '--stage', '-z', '--', ':(top,icase)CHANGELOG.md']);
  const [, mode, path] = /^(\d{6}) [0-9a-f]+ \d\t([^\0]+)/.exec(listed) ?? [];
  if (mode === undefined || path === undefined) return undefined;
  const { code, out: text } = await git.try(['show', `:${path}`]);
  return code === 0 && UNRELEASED.test(text) ? { path, mode, text } : undefined;
}

/** The heading of Keep a Changelog for a message. */
function headingOf({ type, breaking }: Message): string {
  if (breaking !== undefined) return 'Changed';
  return type === 'feat' ? 'Added' : type === 'fix' ? 'Fixed' : 'Changed';
}

/** The text with one more entry; nothing when it has no section for what is not released. */
export function withEntry(text: string, message: Message): string | undefined {
  const start = UNRELEASED.exec(text);
  if (!start || message.changelog === undefined) return undefined;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const from = start.index + start[0].length;
  const next = /^##\s/m.exec(text.slice(from));
  const to = next ? from + next.index : text.length;
  const section = text.slice(from, to);
  const entry = `${/^\* /m.test(section) ? '*' : '-'} ${message.changelog}`;
  const heading = headingOf(message);
  const found = new RegExp(`^###\\s+${heading}\\s*$`, 'im').exec(section);
  // Where the project uses no headings inside of the section, none is brought in.
  const hasHeadings = /^###\s/m.test(section);
  const isFlat = !hasHeadings && /^[-*] /m.test(section);
  const begin = found ? found.index + found[0].length : 0;
  const following = found ? /^###\s/m.exec(section.slice(begin)) : undefined;
  const stop = following ? begin + following.index : section.length;
  const block = section.slice(begin, stop).trimEnd();
  const added =
    found || isFlat ? `${newline}${entry}` : `${newline}${newline}### ${heading}${newline}${newline}${entry}`;
  const gap = block.trim() === '' && (found || isFlat) ? newline : '';
  const rest = section.slice(stop);
  const tail = rest === '' && to === text.length ? newline : `${newline}${newline}`;
  return `${text.slice(0, from)}${section.slice(0, begin)}${block}${gap}${added}${tail}${rest}${text.slice(to)}`;
}

/** Adds the entry to what is staged and to the file; gives a function that takes it back. Other changes of the file stay out of the commit. */
export async function addEntry(git: Git, log: Changelog, message: Message): Promise<(() => Promise<void>) | undefined> {
  const staged = await git.run(['show', `:${log.path}`]);
  const changed = withEntry(staged, message);
  if (changed === undefined) return undefined;
  const put = async (text: string) => {
    const blob = (await git.run(['hash-object', '-w', '--stdin', '--no-filters'], { input: text })).trim();
    await git.run(['update-index', '--cacheinfo', `${log.mode},${blob},${log.path}`]);
  };
  const file = join(git.folder, log.path);
  const before = await readFile(file, 'utf8');
  const after = withEntry(before, message);
  await put(changed);
  if (after !== undefined) await writeFile(file, after);
  return async () => {
    await put(staged);
    if (after !== undefined && (await readFile(file, 'utf8')) === after) await writeFile(file, before);
  };
}
