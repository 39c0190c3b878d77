/** `tenon hijack`: opens the worker's own screen on the session of a run. */
import { spawn } from 'node:child_process';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine, shellWord } from '@tenon/wording';
import type { HijackTarget, Runs } from '../api.ts';
import { nextSteps } from './describe.ts';

/** Takes a run over; without --no-launch its session is opened here, and the run goes on when that ends well. */
export async function hijack(service: Runs, call: CommandCall): Promise<number> {
  const { args, flags, io, signal } = call;
  const run = await service.find(String(args['run'] ?? ''));
  const isLaunched = flags['no-launch'] !== true && flags['json'] !== true;
  if (isLaunched) await io.err(`Waiting until ${run.alias} is between two tool calls …\n`);
  const target = isLaunched ? await service.hijack(run, { signal }) : await service.candidate(run);
  const line = `cd ${shellWord(target.cwd)} && ${target.argv.map(shellWord).join(' ')}`;
  if (!isLaunched) {
    const { run: found, worker, session, cwd, argv } = target;
    if (flags['json'] === true)
      await io.json({ run: found.id, alias: found.alias, state: found.state, worker, session, cwd, argv });
    else await io.out(`${plainLine(line)}\n`);
    return EXIT.ok;
  }
  const open = () => launch(target);
  const code = await (io.handOver ? io.handOver(open) : open());
  const after = await service.release(target.run, code);
  if (after.state === 'hijacked')
    await io.err(
      `The session ended with exit code ${code}, so ${after.alias} stays yours.\n  tenon hijack ${after.alias}\n  tenon runs retry ${after.alias}\n`,
    );
  else if (after.state === 'queued')
    await io.err(`${after.alias} goes on by itself.\n  tenon runs logs -f ${after.alias}\n`);
  else
    await io.err(
      `${after.alias} is ${after.state}, as before.\n${nextSteps(after, (await service.details(after)).questions)
        .map((step) => `  ${plainLine(step)}\n`)
        .join('')}`,
    );
  return code === 0 ? EXIT.ok : EXIT.failure;
}

function launch({ argv, env, cwd }: HijackTarget): Promise<number> {
  const [program = '', ...args] = argv;
  const own: NodeJS.ProcessEnv = { ...process.env };
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete own[name];
    else own[name] = value;
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: own, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
