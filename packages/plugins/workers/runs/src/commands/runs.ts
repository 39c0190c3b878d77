/** `tenon runs …`: looks at runs and steers them. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { counted, plainLine, plainText, timeAgo } from '@tenon/wording';
import type { Runs } from '../api.ts';
import { errors } from '../errors.ts';
import { proposalsOf } from '../exchange/exchange.ts';
import { newestPlace } from '../follow.ts';
import type { Run, RunState } from '../run.ts';
import { nextSteps, questionLine, runLine, stateText } from './describe.ts';
import { NewsView } from './news-view.ts';
import { ending, followToEnd, jsonLine } from './run.ts';

const named = (service: Runs, { args }: CommandCall) => service.find(String(args['run'] ?? ''));

/** Lists runs, the newest first. */
export async function listRuns(service: Runs, { flags, io, cwd }: CommandCall): Promise<void> {
  const states = Array.isArray(flags['state']) ? (flags['state'] as RunState[]) : [];
  const limit = Number(flags['limit'] ?? 20);
  const found = await service.list({
    ...(states.length > 0 && { states }),
    ...(flags['all'] !== true && { cwd }),
    ...(Number.isFinite(limit) && limit > 0 && { limit }),
  });
  if (flags['json'] === true) return io.json({ runs: found });
  if (found.length === 0)
    await io.out(
      `There are no runs${flags['all'] === true ? '' : ' of this folder'}. \`tenon run "task"\` starts one.\n`,
    );
  const now = Date.now();
  for (const run of found) await io.out(`${runLine(run, { width: io.width, color: io.color, now })}\n`);
}

/** Everything about one run. */
export async function showRun(service: Runs, exchange: (run: Run) => string, call: CommandCall): Promise<void> {
  const { flags, io } = call;
  const details = await service.details(await named(service, call));
  const { run, sessions, questions } = details;
  const proposals = run.session === 0 ? [] : await proposalsOf(exchange(run), run.session);
  if (flags['json'] === true) return io.json({ ...details, proposals });
  const now = Date.now();
  const lines = [
    `${run.alias}  ${stateText(run.state, io.color)}  ${run.worker}${run.request.model === undefined ? '' : ` ${plainLine(run.request.model)}`}`,
    `  task      ${plainLine(run.request.task)}`,
    `  folder    ${plainLine(run.folder)}`,
    ...(run.worktree
      ? [
          `  worktree  from ${run.worktree.base.slice(0, 12)}${run.worktree.branch === undefined ? '' : `, branch ${plainLine(run.worktree.branch)}`}`,
        ]
      : []),
    ...(run.host === undefined ? [] : [`  host      ${plainLine(run.host)}`]),
    `  sandbox   ${plainLine(run.sandbox)}`,
    ...(run.account === undefined ? [] : [`  account   ${plainLine(run.account)}`]),
    `  began     ${timeAgo(run.created, now)}, ${counted(sessions.length, 'session')}, attempt ${run.attempt}`,
    `  ${ending(run)}`,
    ...questions.map(
      (question) =>
        `  ${questionLine(question)}${question.answer === undefined ? '' : `\n    ${plainLine(question.answer)}`}`,
    ),
    ...proposals.map(({ name, title }) => `  proposal  ${plainLine(title)} (${plainLine(name)})`),
    ...nextSteps(run, questions).map((step) => `  ${plainLine(step)}`),
  ];
  await io.out(`${lines.join('\n')}\n`);
  if (run.result !== undefined && run.result.text !== '') await io.out(`\n${plainText(run.result.text).trimEnd()}\n`);
}

/** What a run wrote; as it came with --raw. */
export async function showLogs(service: Runs, call: CommandCall): Promise<number> {
  const { flags, io, signal } = call;
  const run = await named(service, call);
  const view = new NewsView({ verbose: io.verbose === true });
  const isFollowed = flags['follow'] === true;
  for await (const news of service.follow(run, { signal, live: isFollowed })) {
    if (flags['json'] === true) await io.out(jsonLine(news));
    else if (flags['raw'] === true) await (news.type === 'output' ? io.out(plainText(news.output.text)) : undefined);
    else await io.out(view.show(news));
  }
  return signal.aborted ? EXIT.interrupted : EXIT.ok;
}

/** Answers questions: `id=answer`, or one text when only one is open. */
export async function answerRun(service: Runs, call: CommandCall): Promise<number> {
  const { args, flags, io } = call;
  const run = await named(service, call);
  const { questions } = await service.details(run);
  const open = questions.filter(({ answer }) => answer === undefined);
  const words = Array.isArray(args['answers']) ? args['answers'] : [];
  const answers: Record<string, string> = {};
  const [only] = open;
  for (const word of words) {
    const [, id = '', text = ''] = /^([\w.-]+)=([^]*)$/.exec(word) ?? [];
    if (open.some((question) => question.id === id)) answers[id] = text;
    else if (open.length === 1 && only && words.length === 1) answers[only.id] = word;
    else throw errors.create('RUNS_NO_QUESTION', { alias: run.alias, question: id === '' ? word : id, hint: '' });
  }
  if (words.length === 0 && io.ask)
    for (const { id, text } of open) answers[id] = await io.ask(`${plainLine(text)}\n> `);
  const answered = await service.answer(run, answers);
  return afterwards(service, answered, call, flags['follow'] === true);
}

/** Sends a message to the worker's thread. */
export async function sendToRun(service: Runs, call: CommandCall): Promise<number> {
  const { args, flags } = call;
  const text = Array.isArray(args['message']) ? args['message'].join(' ') : String(args['message'] ?? '');
  return afterwards(service, await service.send(await named(service, call), text), call, flags['follow'] === true);
}

/** Tries again. */
export async function retryRun(service: Runs, call: CommandCall): Promise<number> {
  return afterwards(service, await service.retry(await named(service, call)), call, call.flags['follow'] === true);
}

/** Stops a run. */
export async function cancelRun(service: Runs, call: CommandCall): Promise<number> {
  return afterwards(service, await service.cancel(await named(service, call)), call, false);
}

async function afterwards(service: Runs, run: Run, call: CommandCall, isFollowed: boolean): Promise<number> {
  const { flags, io } = call;
  if (isFollowed) {
    const place = await newestPlace(service, run, call.signal);
    return followToEnd(service, run, call, place);
  }
  if (flags['json'] === true) await io.json(run);
  else
    await io.out(
      `${run.alias} is ${run.state}.\n${nextSteps(run)
        .map((step) => `  ${plainLine(step)}\n`)
        .join('')}`,
    );
  return EXIT.ok;
}

/** Forgets a run. */
export async function removeRun(service: Runs, call: CommandCall): Promise<void> {
  const { flags, io } = call;
  const run = await named(service, call);
  const { kept } = await service.remove(run, { force: flags['force'] === true });
  if (flags['json'] === true) return io.json({ removed: run.id, kept });
  await io.out(`${run.alias} was removed.\n${kept.map((path) => `  stays: ${plainLine(path)}\n`).join('')}`);
}

/** Removes what is clean and over. */
export async function collectRuns(service: Runs, { flags, io }: CommandCall): Promise<void> {
  const dryRun = flags['dry-run'] === true;
  const found = await service.collect({ dryRun });
  if (flags['json'] === true) return io.json({ places: found });
  if (found.length === 0) await io.out('There is nothing to clean up.\n');
  for (const { path, reason, isRemoved } of found) {
    const what = isRemoved ? (dryRun ? 'would be removed' : 'removed') : 'stays';
    await io.out(`${plainLine(path)}: ${what}, ${plainLine(reason)}\n`);
  }
}

/** Takes the changes of a run over. */
export async function applyChanges(service: Runs, call: CommandCall): Promise<void> {
  const { flags, io } = call;
  const applied = await service.apply(await named(service, call));
  if (flags['json'] === true) return io.json(applied);
  await io.out(`${plainLine(applied.text)}\n${applied.files.map((path) => `  ${plainLine(path)}\n`).join('')}`);
}
