/** The skills of a folder, and how to get at their text. */
import { type Discovery, skills, splitFrontmatter } from '@tenon/discovery/api';
import { didYouMean } from '@tenon/wording';
import type { KnownSkill, SkillBook } from './api.ts';
import { readText } from './contained-file.ts';
import { errors } from './errors.ts';

/** Skills by priority; the project's before the user's, else in the order of discovery. */
export function createSkillBook(discovery: Discovery): SkillBook {
  return {
    async list(cwd, signal) {
      const { items } = await discovery.load(skills, cwd, signal);
      return items
        .map(({ value, family, level, project, bundle, pack }): KnownSkill => ({
          ...value,
          family,
          level,
          ...(project !== undefined && { project }),
          ...(bundle !== undefined && { bundle }),
          ...(pack !== undefined && { pack }),
        }))
        .sort(
          (a, b) =>
            (b.priority ?? 0) - (a.priority ?? 0) || Number(b.level === 'project') - Number(a.level === 'project'),
        );
    },
    body: async ({ file, folder }) => withFolder(splitFrontmatter(await readText(file)).body, folder),
  };
}

/** Skills written for other tools name their own folder in these ways. */
function withFolder(body: string, folder: string): string {
  return body.replaceAll('${CLAUDE_SKILL_DIR}', () => folder).replaceAll('{baseDir}', () => folder);
}

/** The skill of this name. */
export function skillNamed(name: string, all: readonly KnownSkill[]): KnownSkill {
  const skill = all.find((entry) => entry.name === name);
  if (skill) return skill;
  const names = all.map((entry) => entry.name);
  const shown = names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names;
  throw errors.create('SKILLS_UNKNOWN', {
    name,
    hint: didYouMean(name, names),
    names: names.length > 0 ? shown : 'none',
  });
}

/** True for skills that the model is told about: those with a description that do not ask to be left alone. */
export function isForModel({ description, metadata }: KnownSkill): boolean {
  return description.trim() !== '' && metadata['disable-model-invocation'] !== true;
}

/** True for skills that a user may call by name. */
export function isForUser({ metadata }: KnownSkill): boolean {
  return metadata['user-invocable'] !== false;
}
