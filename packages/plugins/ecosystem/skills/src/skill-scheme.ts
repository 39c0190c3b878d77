/** `skill://NAME` and `skill://NAME/PATH`: a skill and its files. */
import { extname } from 'node:path';
import { parseAddress, type UrlCall, type UrlContent, type UrlScheme, type UrlScope } from '@tenon/urls/api';
import type { KnownSkill, SkillBook } from './api.ts';
import { asText, filesBelow, kindOf, pathInside, readBytes, readText } from './contained-file.ts';
import { errors } from './errors.ts';
import { shorten } from './prompt-section.ts';
import { skillNamed } from './skill-book.ts';

const FORM = 'skill://NAME or skill://NAME/PATH; skill:// lists the skills';

/** What the scheme works with. */
export interface SchemeHost {
  readonly book: SkillBook;
  /** The folder of calls outside of a session. */
  readonly cwd: string;
  /** A model has read the skill: it works with it now. */
  opened(skill: KnownSkill, scope: UrlScope): Promise<void>;
}

/** The scheme over the skills of the folder that a call works in. */
export function skillScheme({ book, cwd, opened }: SchemeHost): UrlScheme {
  const find = async (url: string, { scope, signal }: UrlCall) => {
    const [name, ...path] = parseAddress(url, FORM).segments;
    const all = await book.list(scope?.cwd ?? cwd, signal);
    return { all, path, skill: name === undefined ? undefined : skillNamed(name, all) };
  };
  return {
    async read(url, call) {
      const { all, path, skill } = await find(url, call);
      if (!skill) return { content: listing(all), contentType: 'text/plain' };
      if (path.length > 0) return fileOf(skill, path, url);
      const content = await readText(skill.file);
      if (call.scope) await opened(skill, call.scope);
      const notes = [`Files of this skill are at skill://${skill.name}/PATH; its folder is ${skill.folder}.`];
      return { content, contentType: 'text/markdown', file: skill.file, notes };
    },
    async locate(url, call) {
      const { path, skill } = await find(url, call);
      if (!skill) return undefined;
      return path.length === 0 ? skill.file : pathInside(skill.folder, path, url);
    },
  };
}

async function fileOf(skill: KnownSkill, segments: readonly string[], url: string): Promise<UrlContent> {
  const path = await pathInside(skill.folder, segments, url);
  const kind = path === undefined ? undefined : await kindOf(path);
  if (path === undefined || kind === 'other')
    throw errors.create('SKILLS_NO_FILE', { name: skill.name, path: segments.join('/') });
  if (kind === 'folder') {
    const inside = segments.map(encodeURIComponent).join('/');
    const files = (await filesBelow(path)).map((name) => `skill://${skill.name}/${inside}/${name}`);
    return {
      content: files.length > 0 ? files.join('\n') : 'This folder is empty.',
      contentType: 'text/plain',
      file: path,
    };
  }
  const bytes = await readBytes(path);
  const text = asText(bytes);
  if (text === undefined) {
    const contentType = 'application/octet-stream';
    return { content: `[${segments.at(-1)}: ${bytes.length} bytes]`, bytes, contentType, file: path };
  }
  return { content: text, contentType: extname(path) === '.md' ? 'text/markdown' : 'text/plain', file: path };
}

function listing(all: readonly KnownSkill[]): string {
  if (all.length === 0) return 'There are no skills here.';
  return all.map(({ name, description }) => `skill://${name}  ${shorten(description, 300)}`.trimEnd()).join('\n');
}
