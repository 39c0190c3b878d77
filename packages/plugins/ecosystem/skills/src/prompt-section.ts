/** What the system prompt says about skills. It depends on the skills alone, so that providers can cache it. */
import type { KnownSkill } from './api.ts';
import { prompts } from './prompts/index.ts';
import { isForModel } from './skill-book.ts';

const CHARS_PER_TOKEN = 4;
/** How long descriptions may be; when not all skills fit, they are shortened before a skill is left out. */
const LENGTHS = [600, 160, 80] as const;

/** The part of the system prompt; undefined when there is no skill to tell of. */
export function skillsSection(all: readonly KnownSkill[], tokens: number): string | undefined {
  const candidates = all.filter(isForModel);
  if (candidates.length === 0) return undefined;
  const room = tokens * CHARS_PER_TOKEN;
  const attempts = LENGTHS.map((length) => fit(candidates, length, room));
  const skills = attempts.find((fitting) => fitting.length === candidates.length) ?? attempts.at(-1) ?? [];
  return prompts.skillList({ skills, leftOut: candidates.length - skills.length });
}

function fit(skills: readonly KnownSkill[], length: number, room: number): { name: string; description: string }[] {
  const lines: { name: string; description: string }[] = [];
  let remaining = room;
  for (const { name, description } of skills) {
    const line = { name, description: shorten(description, length) };
    remaining -= line.name.length + line.description.length + 5;
    if (remaining < 0) break;
    lines.push(line);
  }
  return lines;
}

/** One line of at most so many characters. */
export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1).trimEnd()}…` : line;
}
