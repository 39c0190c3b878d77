/** `tenon skills list`, `show` and `validate`. */
import { basename, dirname, resolve } from 'node:path';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import { splitFrontmatter } from '@tenon/discovery/api';
import { TenonError } from '@tenon/kernel';
import type { KnownSkill, SkillBook } from './api.ts';
import { filesBelow, kindOf, readText } from './contained-file.ts';
import { shorten } from './prompt-section.ts';
import { isForModel, isForUser, skillNamed } from './skill-book.ts';
import { type SkillProblem, validateSkill } from './validate.ts';

/** Lists the skills for the folder. */
export async function listSkills(book: SkillBook, { io, flags, cwd, signal }: CommandCall): Promise<void> {
  const all = await book.list(cwd, signal);
  if (flags['json'] === true) {
    return io.json({
      skills: all.map((skill) => ({ ...skill, forModel: isForModel(skill), forUser: isForUser(skill) })),
    });
  }
  if (all.length === 0) await io.out('There are no skills here.\n');
  const width = Math.min(40, Math.max(0, ...all.map(({ name }) => name.length)));
  for (const { name, description, family, level, triggers = [], priority } of all) {
    const more = [
      family,
      level,
      ...(priority === undefined ? [] : [`priority ${priority}`]),
      ...(triggers.length > 0 ? [`triggers: ${triggers.join(', ')}`] : []),
    ];
    await io.out(
      `${plainLine(name).padEnd(width)}  ${plainLine(shorten(description, 100))} (${plainLine(more.join(', '))})\n`,
    );
  }
}

/** Shows one skill and its files. */
export async function showSkill(book: SkillBook, { io, args, flags, cwd, signal }: CommandCall): Promise<void> {
  const skill = skillNamed(String(args['name']), await book.list(cwd, signal));
  const [text, files] = await Promise.all([readText(skill.file), filesBelow(skill.folder)]);
  if (flags['json'] === true) return io.json({ ...skill, text, files });
  const rest = files.filter((file) => file !== basename(skill.file));
  await io.out(`${plainLine(skill.file)} (${skill.family}, ${skill.level})\n\n${plainText(text)}\n`);
  if (rest.length > 0)
    await io.out(`\nFiles:\n${rest.map((file) => `  skill://${skill.name}/${plainLine(file)}`).join('\n')}\n`);
}

interface Checked {
  readonly name: string;
  readonly file: string;
  readonly problems: readonly SkillProblem[];
}

/** Checks skills against the format; the exit code is 1 when one has errors. */
export async function validateSkills(book: SkillBook, { io, args, flags, cwd, signal }: CommandCall): Promise<number> {
  const target = args['skill'];
  const all = await book.list(cwd, signal);
  const files = typeof target === 'string' ? [await fileOf(target, all, cwd)] : all.map(({ file }) => file);
  const checked = await Promise.all(files.map(check));
  const isBad = checked.some(({ problems }) => problems.some(({ level }) => level === 'error'));
  if (flags['json'] === true) await io.json({ valid: !isBad, skills: checked });
  else {
    for (const { name, file, problems } of checked) {
      await io.out(`${plainLine(name)}: ${problems.length === 0 ? 'ok' : plainLine(file)}\n`);
      for (const { level, text } of problems) await io.out(`  ${level}: ${plainLine(text)}\n`);
    }
    if (checked.length === 0) await io.out('There are no skills here.\n');
  }
  return isBad ? EXIT.failure : EXIT.ok;
}

/** A skill's name, its folder, or its SKILL.md. */
async function fileOf(target: string, all: readonly KnownSkill[], cwd: string): Promise<string> {
  const path = resolve(cwd, target);
  const kind = await kindOf(path).catch(() => undefined); // no file: a name
  if (kind === 'folder' && !all.some(({ name }) => name === target)) return resolve(path, 'SKILL.md');
  return kind === 'file' ? path : skillNamed(target, all).file;
}

async function check(file: string): Promise<Checked> {
  const folder = basename(dirname(file));
  try {
    const { data, body, problem } = splitFrontmatter(await readText(file));
    const name = typeof data['name'] === 'string' ? data['name'] : folder;
    return { name, file, problems: validateSkill({ folder, data, body, ...(problem !== undefined && { problem }) }) };
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    return { name: folder, file, problems: [{ level: 'error', text: fault.message }] };
  }
}
