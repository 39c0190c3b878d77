/** Makes a rule that watches the stream out of what its file says. */
import type { Rule } from '@tenon/discovery/api';
import type { TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { type FileMatcher, fileMatcher } from '../globs.ts';
import { parseScope, type Source } from './scope.ts';
import type { Window } from './watched-text.ts';

/** When a match stops the model, and when it waits for the end of the turn. */
export type InterruptMode = 'never' | 'prose-only' | 'tool-only' | 'always';

/** A tool call, as far as a rule's scope cares. */
export interface WatchedCall {
  readonly name: string;
  /** Absolute. */
  readonly paths: readonly string[];
}

const MAX_CONDITIONS = 50;
const MAX_LENGTH = 2_000;

/** A rule with its conditions compiled. */
export class StreamRule {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly interruptMode: InterruptMode | undefined;
  readonly #patterns: readonly RegExp[];
  readonly #prose: Readonly<Record<'text' | 'thinking', boolean>>;
  readonly #tools: readonly { readonly name: string | undefined; readonly files: FileMatcher | undefined }[];
  readonly #files: FileMatcher | undefined;

  constructor(rule: Rule, cwd: string, report: (problem: TenonError) => void) {
    const about = { name: rule.name, file: rule.path };
    this.name = rule.name;
    this.path = rule.path;
    this.content = rule.content;
    this.interruptMode = rule.interruptMode;
    this.#patterns = (rule.condition ?? []).slice(0, MAX_CONDITIONS).flatMap((condition) => {
      try {
        return [compile(condition)];
      } catch (fault) {
        const reason = fault instanceof Error ? fault.message : String(fault);
        report(errors.create('RULES_PATTERN', { ...about, reason }, fault));
        return [];
      }
    });
    const { text, thinking, tools } = parseScope(rule.scope, (word) =>
      report(errors.create('RULES_SCOPE', { ...about, word })),
    );
    this.#prose = { text, thinking };
    this.#tools = tools.map(({ name, globs }) => ({ name, files: globs && fileMatcher(globs, cwd) }));
    this.#files = rule.globs && rule.globs.length > 0 ? fileMatcher(rule.globs, cwd) : undefined;
  }

  /** False when nothing of the rule can ever match. */
  get isUsable(): boolean {
    return this.#patterns.length > 0 && (this.#prose.text || this.#prose.thinking || this.#tools.length > 0);
  }

  /** Whether the rule may have something to say about output of this kind. */
  watches(source: Source, tool?: string): boolean {
    // A rule about files says nothing about prose, where no file is named.
    if (source !== 'tool') return this.#prose[source] && !this.#files;
    return this.#tools.some(({ name }) => name === undefined || name === tool?.toLowerCase());
  }

  /** Whether a call is one that the rule is about. */
  isAbout({ name: called, paths }: WatchedCall): boolean {
    if (this.#files && !paths.some(this.#files)) return false;
    return this.#tools.some(
      ({ name, files }) => (name === undefined || name === called.toLowerCase()) && (!files || paths.some(files)),
    );
  }

  /** Whether a condition is met. Only ever called in a time box. */
  matches({ text, from }: Window): boolean {
    return this.#patterns.some((pattern) => {
      pattern.lastIndex = from;
      return pattern.test(text);
    });
  }
}

/** `(?i)` and its like at the beginning are flags, as they are elsewhere. */
function compile(condition: string): RegExp {
  if (condition.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  const [, flags = '', source = condition] = /^\(\?([ims]+)\)(.*)$/s.exec(condition) ?? [];
  return new RegExp(source, `g${[...new Set(flags)].join('')}`);
}
