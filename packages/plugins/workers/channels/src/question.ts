/** Questions that wait for a person, wherever they come from. */

/** A question that waits. */
export interface OpenQuestion {
  /** The same as long as it is the same question; no other question of this source ever has it. */
  readonly id: string;
  /** One line: who asks, and about what. */
  readonly title: string;
  /** The whole question, as Markdown. It is shown as it was written; only code in fences is set apart. */
  readonly text: string;
  /** What is asked about, word for word: a command. */
  readonly code?: string;
  /** Answers to choose from. */
  readonly options?: readonly string[];
  /** Whether an answer of one's own words is possible, too. */
  readonly takesText: boolean;
  /** The only answers that are offered where the question cannot be shown whole. */
  readonly blindOptions?: readonly string[];
  /** The run that asks. */
  readonly run?: string;
}

/** What became of an answer. `gone`: somebody was faster, or the question was withdrawn. */
export type AnswerOutcome = 'taken' | 'gone';

/** Something that has open questions and takes answers. */
export interface QuestionSource {
  /** All that are open now. */
  open(): Promise<readonly OpenQuestion[]>;
  /** Answers one with one of its options, or with words where it takes them. */
  answer(id: string, answer: string, by: string): Promise<AnswerOutcome>;
}
