/** The commands of runs. Their code is loaded when one is called. */
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import type { PluginContext } from '@tenon/kernel';
import type { Runs } from '../api.ts';
import { exchangeFolder } from '../keeper/places.ts';
import type { RunsParts } from '../parts.ts';

/** Puts them into the slot. */
export function contributeCommands(
  ctx: Pick<PluginContext, 'contribute'>,
  load: () => Promise<Runs>,
  { folders }: Pick<RunsParts, 'folders'>,
): void {
  const runs = () => import('./runs.ts');
  const commands: Readonly<Record<string, CliCommand['run']>> = {
    run: async (call) => (await import('./run.ts')).startRun(await load(), call),
    'runs list': async (call) => (await runs()).listRuns(await load(), call),
    'runs show': async (call) =>
      (await runs()).showRun(await load(), ({ id }) => exchangeFolder(folders.state, id), call),
    'runs logs': async (call) => (await runs()).showLogs(await load(), call),
    'runs answer': async (call) => (await runs()).answerRun(await load(), call),
    'runs send': async (call) => (await runs()).sendToRun(await load(), call),
    'runs retry': async (call) => (await runs()).retryRun(await load(), call),
    'runs cancel': async (call) => (await runs()).cancelRun(await load(), call),
    'runs remove': async (call) => (await runs()).removeRun(await load(), call),
    'runs gc': async (call) => (await runs()).collectRuns(await load(), call),
    'runs apply': async (call) => (await runs()).applyChanges(await load(), call),
    hijack: async (call) => (await import('./hijack.ts')).hijack(await load(), call),
  };
  for (const [key, run] of Object.entries(commands)) ctx.contribute(cliCommands, key, { run });
}
