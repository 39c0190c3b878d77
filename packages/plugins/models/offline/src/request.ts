import type { Scope } from './language/scope.ts';

/** What the user wants, as the rules understood it. */
export interface Request {
  readonly intent: string;
  readonly slots: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly ignoreCase: boolean;
  /** The user's words. */
  readonly text: string;
  /** The parts of "do this and then that". */
  readonly parts?: readonly Request[];
}

/** One answer to a question that the rules can go on with. */
export interface Choice {
  readonly label: string;
  /** Other words that mean it. */
  readonly words: readonly string[];
  readonly request: Request;
}

/** Something that has to be known before the rules go on. */
export interface Question {
  readonly text: string;
  readonly choices?: readonly Choice[];
  /** Makes a request of a free answer. */
  fill?(answer: string): Request | undefined;
}

/** What the words of a user came to. */
export type Reading =
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'unknown' };
