/** Brings skills into the conversation whose words the user used. */
import type { AgentSession } from '@tenon/agent/api';
import type { CustomMessage, Session } from '@tenon/sessions/api';
import type { KnownSkill, SkillBook } from './api.ts';
import { shorten } from './prompt-section.ts';
import { prompts } from './prompts/index.ts';

/** The `customType` of the message. */
const TRIGGERED = 'skill-trigger';
const MAX_TRIGGER = 200;
/** Prompts may carry whole files; a trigger is a word of what the user says. */
const MAX_PROMPT = 50_000;

/** Whether a prompt holds one of the words. Upper and lower case do not matter; parts of words do not count. */
export function isTriggered(triggers: readonly string[], prompt: string): boolean {
  return triggers.some((trigger) => {
    const word = trigger.trim();
    if (word === '' || word.length > MAX_TRIGGER) return false;
    const inner = word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace(/\s+/g, '\\s+');
    const before = /^[\p{L}\p{N}_]/u.test(word) ? '(?<![\\p{L}\\p{N}_])' : '';
    const after = /[\p{L}\p{N}_]$/u.test(word) ? '(?![\\p{L}\\p{N}_])' : '';
    return new RegExp(`${before}${inner}${after}`, 'iu').test(prompt);
  });
}

/** What one prompt brings in. */
export interface Triggered {
  readonly message: CustomMessage;
  /** The skills whose text is in the message. */
  readonly skills: readonly KnownSkill[];
}

/** Decides which skills a prompt brings in. */
export class SkillTriggers {
  readonly #book: SkillBook;
  readonly #maxChars: number;
  /** What each session was told since its last summary. */
  readonly #announced = new Map<string, Set<string>>();

  constructor(book: SkillBook, maxTokens: number) {
    this.#book = book;
    this.#maxChars = maxTokens * 4;
  }

  /** The message for a prompt; undefined when no skill fits that the session does not know yet. */
  async messageFor(
    prompt: string,
    { session }: AgentSession,
    all: readonly KnownSkill[],
  ): Promise<Triggered | undefined> {
    // The text of a skill that the user called is no word of the user.
    const words = prompt.slice(0, MAX_PROMPT).replace(/<skill name="[^"]*">[\s\S]*?<\/skill>/g, '');
    const announced = this.#announcedIn(session);
    const fitting = all.filter(
      ({ name, triggers = [], alwaysApply }) =>
        !announced.has(name) && (alwaysApply === true || isTriggered(triggers, words)),
    );
    if (fitting.length === 0) return undefined;
    const whole: { name: string; body: string }[] = [];
    const named: { name: string; description: string }[] = [];
    let room = this.#maxChars;
    for (const skill of fitting) {
      // A skill that cannot be read is named; the agent sees the reason when it opens it.
      const body = room > 0 ? await this.#book.body(skill).catch(() => undefined) : undefined;
      if (body !== undefined && body.length <= room) {
        whole.push({ name: skill.name, body });
        room -= body.length;
      } else named.push({ name: skill.name, description: shorten(skill.description, 160) });
      announced.add(skill.name);
    }
    const inText = new Set(whole.map(({ name }) => name));
    return {
      message: messageOf(prompts.triggeredSkills({ whole, named }), fitting),
      skills: fitting.filter(({ name }) => inText.has(name)),
    };
  }

  /** The conversation was shortened or changed: what was told may be gone. */
  forget(session: string): void {
    this.#announced.delete(session);
  }

  #announcedIn(session: Session): Set<string> {
    const names = this.#announced.get(session.id) ?? announcedSinceSummary(session);
    this.#announced.set(session.id, names);
    return names;
  }
}

function messageOf(content: string, skills: readonly KnownSkill[]): CustomMessage {
  const details = { skills: skills.map(({ name, file }) => ({ name, file })) };
  return {
    role: 'custom',
    customType: TRIGGERED,
    content,
    display: false,
    details,
    attribution: 'agent',
    timestamp: Date.now(),
  };
}

function announcedSinceSummary(session: Session): Set<string> {
  const names = new Set<string>();
  for (const entry of session.walk()) {
    if (entry.type === 'compaction') break;
    if (entry.type !== 'custom_message' || entry.customType !== TRIGGERED) continue;
    const { skills } = (entry.details ?? {}) as { readonly skills?: readonly { readonly name?: unknown }[] };
    for (const skill of Array.isArray(skills) ? skills : []) if (typeof skill?.name === 'string') names.add(skill.name);
  }
  return names;
}
