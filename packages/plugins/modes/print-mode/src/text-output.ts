/** The answer as text; everything else goes to standard error. */
import type { AgentEvent, MadeAgent } from '@tenon/agent/api';
import type { CommandIo } from '@tenon/command-line/api';
import { plainText } from '@tenon/wording';
import { Notices } from './notices.ts';
import type { Answer, Output } from './output.ts';
import { progressLine } from './progress.ts';

/** Writes answers to standard output, one after the other. */
export class TextOutput implements Output {
  readonly #io: CommandIo;
  #notices: Notices | undefined;
  #answers = 0;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  async begin({ agent, modelFallbackMessage, foundModel }: MadeAgent): Promise<void> {
    this.#notices = new Notices(agent);
    const { model } = agent.state;
    const { progress, verbose } = this.#io;
    // Who has set a key knows whose model answers; a server that happens to run, or no model at all, is news.
    const isNews = foundModel?.by !== 'key' || progress === true;
    const lines = [
      ...(modelFallbackMessage === undefined ? [] : [modelFallbackMessage]),
      ...(foundModel && isNews ? [foundModel.text] : []),
      ...(model.isRules && !foundModel
        ? [`${model.provider}/${model.id} answers: fixed rules, no language model.`]
        : []),
      ...(verbose ? [`Session ${agent.session.id}, model ${model.provider}/${model.id}.`] : []),
    ];
    for (const line of lines) await this.#tell(line);
  }

  event(event: AgentEvent): void {
    const { progress, verbose, width } = this.#io;
    const notice = this.#notices?.textOf(event);
    if (notice !== undefined) void this.#tell(notice);
    const line = progress ? progressLine(event, width, verbose === true) : undefined;
    if (line !== undefined) void this.#tell(line);
  }

  async answer({ text, structured, report, turns, spentUsd }: Answer): Promise<void> {
    const { io, gap } = { io: this.#io, gap: this.#answers > 0 ? '\n' : '' };
    const answer = structured ? JSON.stringify(structured.value, null, 2) : text;
    if (answer !== '') {
      this.#answers++;
      // A program gets what the model wrote; a terminal gets text and nothing that acts.
      await io.out(`${gap}${(io.terminal ? plainText(answer) : answer).replace(/\n$/, '')}\n`);
    }
    for (const { message, next } of [...report.refusals, ...report.problems])
      await io.err(`${plainText(message)}\n  next: ${plainText(next)}\n`);
    if (io.verbose) await this.#tell(`Turns: ${turns}. Cost: $${spentUsd.toFixed(4)}.`);
  }

  async failed(): Promise<void> {
    // The shell says it on standard error.
  }

  async finish(): Promise<void> {
    // Every line was waited for when it was written.
  }

  #tell(text: string): Promise<void> {
    return this.#io.err(`${plainText(text)}\n`);
  }
}
