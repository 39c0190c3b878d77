/** A program of the agent that has a terminal: a mode with a screen can show it and let the user type into it. */
export interface LiveTerminal {
  /** What runs, for the title: the command. */
  readonly title: string;
  /** The rows that can be seen now, with their styles and nothing else. */
  rows(): readonly string[];
  /** Where the program's cursor is; nothing while it is hidden. */
  caret(): { readonly row: number; readonly column: number } | undefined;
  /** Whether arrow keys are to be sent in application form. */
  readonly sendsApplicationKeys: boolean;
  /** Whether the program knows the brackets around pastes; others would take them for text. */
  readonly bracketsPastes: boolean;
  /** Types into it, as a keyboard would. */
  write(data: string): void;
  /** The room that it has now. */
  resize(columns: number, rows: number): void;
  /** Ends the program. */
  stop(): void;
  /** Calls back when it looks different; the result ends that. */
  onChange(listener: () => void): () => void;
}
