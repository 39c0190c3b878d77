/** The screen of the built program as a person meets it: a home of its own, a model that plays answers, programs on real pseudo-terminals. */
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { Home, MAIN } from './program.ts';
import { TerminalProgram, type TerminalStart } from './terminal-program.ts';

/** What the screen says when it takes a prompt. */
export const READY = 'Say what to do';

/** An answer of the model in words. */
export const says = (text: string, more: object = {}) => ({ content: [{ type: 'text' as const, text }], ...more });

/** An answer of the model that calls a tool. */
export const calls = (name: string, input: object, id = 'call_1') => ({
  content: [{ type: 'toolCall' as const, id, name, arguments: { ...input } }],
});

/** Home, model and programs of one test. */
export class ScreenWorld {
  readonly home = new Home();
  readonly #programs: TerminalProgram[] = [];
  #fake: FakeModels | undefined;

  /** The model's server; `withModel` starts it. */
  get fake(): FakeModels {
    if (!this.#fake) throw new Error('no model was started; call `withModel` first');
    return this.#fake;
  }

  /** Starts the model, and gives the variables with which the program talks to it. */
  async withModel(...answers: Parameters<FakeModels['reply']>): Promise<Record<string, string>> {
    this.#fake ??= await startFakeModels();
    this.#fake.reply(...answers);
    return {
      ANTHROPIC_API_KEY: 'sk-ant-fake-0123456789',
      ANTHROPIC_BASE_URL: this.#fake.baseUrl('anthropic-messages'),
    };
  }

  /** Starts the program on a terminal. */
  open(
    words: readonly string[] = [],
    env: Record<string, string> = {},
    more: Partial<Pick<TerminalStart, 'columns' | 'rows' | 'program'>> & { readonly before?: readonly string[] } = {},
  ): TerminalProgram {
    const { before = [], ...start } = more;
    const node = start.program === undefined ? [] : [process.execPath];
    const program = new TerminalProgram({
      program: process.execPath,
      words: [...before, ...node, MAIN, ...words],
      cwd: this.home.work,
      env: this.home.environment(env),
      ...start,
    });
    this.#programs.push(program);
    return program;
  }

  async close(): Promise<void> {
    // A program that still writes would put files into the home while it is removed.
    for (const program of this.#programs) {
      program.kill();
      await program.ends();
    }
    await this.#fake?.close();
    this.home.remove();
  }
}
