/** `tenon run`: starts a run and follows it, or leaves it to the keeper. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import type { Runs } from '../api.ts';
import { placeOf } from '../follow.ts';
import type { Run } from '../run.ts';
import { nextSteps } from './describe.ts';
import { NewsView } from './news-view.ts';
import { requestOf } from './request.ts';

/** Starts a run. */
export async function startRun(service: Runs, call: CommandCall): Promise<number> {
  const { flags, io } = call;
  const run = await service.start(await requestOf(call));
  if (flags['detach'] === true) {
    if (flags['json'] === true) await io.json(run);
    else await io.out(`${run.alias} was started (${run.worker}).\n${next(run)}`);
    return EXIT.ok;
  }
  if (flags['json'] !== true)
    await io.err(
      `${run.alias}: ${run.worker} begins. Ctrl-C stops it; closing the terminal does not. tenon runs logs -f ${run.alias}\n`,
    );
  return followToEnd(service, run, call);
}

/** Follows a run until it has ended. Questions are asked where somebody can answer; elsewhere the run waits. */
export async function followToEnd(service: Runs, started: Run, call: CommandCall, after = 0): Promise<number> {
  const { flags, io, signal } = call;
  const isJson = flags['json'] === true;
  const view = new NewsView({ verbose: io.verbose === true });
  let place = after;
  for (;;) {
    for await (const news of service.follow(started, { signal, untilIdle: true, after: place })) {
      place = placeOf(news);
      if (isJson) await io.out(jsonLine(news));
      else await io.err(view.show(news));
    }
    if (signal.aborted) {
      const { run } = await service.details(started);
      await service.cancel(run).catch(() => undefined); // It has ended in this moment.
      await waitForEnd(service, run);
      return EXIT.interrupted;
    }
    const { run, questions } = await service.details(started);
    const open = questions.filter(({ answer }) => answer === undefined);
    if (run.state !== 'waiting' || open.length === 0 || !io.interactive || !io.ask || isJson)
      return report(service, run, call, view);
    const answers: Record<string, string> = {};
    for (const { id, text, options } of open) {
      const choices = options === undefined ? '' : ` (${options.map(plainLine).join(' / ')})`;
      answers[id] = await io.ask(`${plainLine(text)}${choices}\n> `);
    }
    await service.answer(run, answers);
  }
}

/** One value of a stream, on a line of its own. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The worker and all that it has started are gone when this gives back. */
async function waitForEnd(service: Runs, run: Run): Promise<void> {
  const limit = AbortSignal.timeout(60_000);
  for await (const _news of service.follow(run, { signal: limit, untilIdle: true })) void _news;
}

async function report(service: Runs, run: Run, { flags, io }: CommandCall, view: NewsView): Promise<number> {
  const { questions } = await service.details(run);
  if (flags['json'] === true) await io.out(jsonLine({ type: 'run', run, questions }));
  else {
    // Who has just read it on the same screen need not read it again.
    const isShown = io.terminal === true && io.progress === true && run.result?.text.trim() === view.answer;
    if (run.result !== undefined && run.result.text !== '' && !isShown)
      await io.out(
        `${plainText(run.result.structured === undefined ? run.result.text : JSON.stringify(run.result.structured, null, 2)).trimEnd()}\n`,
      );
    await io.err(`${ending(run, view.error)}\n${next(run, questions)}`);
  }
  if (run.state === 'done') return run.validation?.state === 'failed' ? EXIT.failure : EXIT.ok;
  return run.state === 'waiting' ? EXIT.unavailable : run.state === 'cancelled' ? EXIT.interrupted : EXIT.failure;
}

/** How it ended, in one or a few lines; `told` is the error that was just shown. */
export function ending({ alias, state, error, validation, usage, cost, diagnostics }: Run, told?: string): string {
  const used = `${usage.input} tokens in, ${usage.output} out${cost === undefined ? '' : `, $${cost.toFixed(4)}`}`;
  const proof =
    validation === undefined ? '' : `; validation ${validation.state}: ${plainLine(validation.plan.reason)}`;
  const why = error === undefined || error.message === told ? '' : `: ${plainLine(error.message)}`;
  const found = (diagnostics?.checks ?? [])
    .filter(({ status, message }) => status === 'fail' && !(error && message.includes(error.message)))
    .map(({ message }) => `\n  ${plainLine(message)}`);
  return `${alias} is ${state}${why} (${used}${proof})${found.join('')}`;
}

function next(run: Run, questions?: Parameters<typeof nextSteps>[1]): string {
  return nextSteps(run, questions)
    .map((step) => `  ${plainLine(step)}\n`)
    .join('');
}
