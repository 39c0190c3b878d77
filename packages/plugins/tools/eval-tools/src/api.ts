/** What other plugins may use of cells: the shape of a result's `details`, for user interfaces. */
import type { Truncation } from '@tenon/tools/api';

/** A language that cells are written in. */
export type CellLanguage = 'python' | 'javascript';

/** Something that a cell's helpers did: a file was read, a tool was called. */
export interface StatusEvent {
  readonly op: string;
  readonly [fact: string]: unknown;
}

/** An image that a cell showed. */
export interface CellImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** One cell of a call. */
export interface CellDetails {
  readonly index: number;
  readonly title?: string;
  readonly language: CellLanguage;
  readonly code: string;
  readonly status: 'pending' | 'running' | 'complete' | 'error';
  /** The end of what it wrote. */
  readonly output: string;
  readonly durationMs?: number;
  /** 0 or 1; absent while it runs and when it was stopped. */
  readonly exitCode?: number;
  readonly statusEvents: readonly StatusEvent[];
  /** True when a part of the output is Markdown. */
  readonly hasMarkdown: boolean;
}

/** The `details` of `eval`. */
export interface EvalDetails {
  readonly cells: readonly CellDetails[];
  /** The language of the first cell. */
  readonly language?: CellLanguage;
  /** Each language once, in the order of first use. */
  readonly languages: readonly CellLanguage[];
  readonly jsonOutputs: readonly unknown[];
  readonly images: readonly CellImage[];
  readonly statusEvents: readonly StatusEvent[];
  readonly notice?: string;
  /** What holds the kernels, in one line. */
  readonly sandbox?: string;
  readonly meta?: { readonly truncation: Truncation };
  readonly isError?: boolean;
}
