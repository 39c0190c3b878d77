/** What other plugins may use of the skills. */
import type { Skill } from '@tenon/discovery/api';
import { service } from '@tenon/kernel';

/** A skill, and whose it is. */
export interface KnownSkill extends Skill {
  readonly family: string;
  readonly level: 'user' | 'project';
  /** The folder of the project that it belongs to, which may be above the working folder. */
  readonly project?: string;
  readonly bundle?: string;
  /** The isolated pack that brings it. */
  readonly pack?: string;
}

/** Finds and reads skills. */
export interface SkillBook {
  /** The skills for a folder, the most relevant first. */
  list(cwd: string, signal?: AbortSignal): Promise<readonly KnownSkill[]>;
  /** The text of a skill without its frontmatter, with its folder filled in. */
  body(skill: KnownSkill): Promise<string>;
}

/** The skills of a folder. */
export const skillBook = service<SkillBook>('skill-book');

export { errors } from './errors.ts';
