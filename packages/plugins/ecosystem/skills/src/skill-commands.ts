/** `/skill:NAME arguments`: the user brings a skill in by name. */
import { plainLine } from '@tenon/wording';
import type { BuiltInCommand, SlashCommandProvider, SlashOutcome } from '@tenon/slash-commands/api';
import type { KnownSkill, SkillBook } from './api.ts';
import { shorten } from './prompt-section.ts';
import { prompts } from './prompts/index.ts';
import { isForUser, skillNamed } from './skill-book.ts';

const PREFIX = 'skill:';
/** The `customType` of the message. */
const CALLED = 'skill-prompt';

/** What the commands need. */
export interface SkillCommandHost {
  readonly book: SkillBook;
  /** The tools that the skill may use without asking; none for a project that is not trusted. */
  toolsOf(skill: KnownSkill, cwd: string): Promise<readonly string[] | undefined>;
}

/** `/skills`: what there is, and how to bring it in. */
export function skillListCommand(book: SkillBook): BuiltInCommand {
  return {
    async run(_args, { cwd, signal }) {
      const all = await book.list(cwd, signal);
      if (all.length === 0)
        return {
          kind: 'handled',
          text: 'There are no skills here. `tenon read docs://guide/skills.md` says how to write one.',
        };
      const lines = all.map((skill) => {
        const name = isForUser(skill) ? `/${PREFIX}${skill.name}` : `${skill.name} (only for the model)`;
        return `${plainLine(name)}: ${plainLine(shorten(skill.description, 160))} (${skill.family}, ${skill.level})`;
      });
      return { kind: 'handled', text: lines.join('\n') };
    },
  };
}

/** One command for each skill. */
export function skillCommands({ book, toolsOf }: SkillCommandHost): SlashCommandProvider {
  return {
    async list({ cwd }, signal) {
      const all = await book.list(cwd, signal);
      return all.filter(isForUser).map(({ name, description, family, level, file, bundle, metadata }) => {
        const hint = metadata['argument-hint'];
        return {
          name: `${PREFIX}${name}`,
          kind: 'skill',
          family,
          level,
          path: file,
          ...(description !== '' && { description: shorten(description, 160) }),
          ...(typeof hint === 'string' && { argumentHint: hint }),
          ...(bundle !== undefined && { bundle }),
        };
      });
    },
    async run(command, args, { cwd, signal }): Promise<SlashOutcome | undefined> {
      if (!command.startsWith(PREFIX)) return undefined;
      const all = (await book.list(cwd, signal)).filter(isForUser);
      const skill = skillNamed(command.slice(PREFIX.length), all);
      const body = (await book.body(skill)).replaceAll('$ARGUMENTS', () => args.trim());
      const { name, file } = skill;
      const allowedTools = await toolsOf(skill, cwd);
      return {
        kind: 'prompt',
        text: prompts.calledSkill({ name, body, file, args: args.trim() }),
        custom: {
          customType: CALLED,
          details: { name, path: file, args: args.trim(), lines: body.split('\n').length },
        },
        ...(allowedTools && { allowedTools }),
      };
    },
  };
}
