/** The plugins that the tests of the shell tools work with. */
import { existsSync, readFileSync } from 'node:fs';
import { sessionShutdown, sessionSwitch, userBash } from '@tenon/agent/api';
import jobsPlugin from '@tenon/jobs';
import { candidateFrom, inlineCandidate } from '@tenon/kernel/testing';
import { openWorkbench, type Workbench } from '../../file-tools/test/workbench.ts';
import jobsPackage from '../../../agent/jobs/package.json' with { type: 'json' };
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

type Bench = Parameters<typeof openWorkbench>;

/** Stands in for the agent plugin: the hooks that it defines. */
export const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown, sessionSwitch, userBash], activate() {} },
  { defines: { hooks: [sessionShutdown.id, sessionSwitch.id, userBash.id] } },
);

/** What the contract suite needs beside the plugin under test. */
export async function others() {
  return [agentHooks, await candidateFrom(jobsPackage, jobsPlugin)];
}

/** A workbench with the shell tools and jobs. */
export async function openShellBench({
  files = {},
  settings = {},
  more = [],
}: { files?: Record<string, string>; settings?: Record<string, unknown>; more?: Bench[0] } = {}): Promise<Workbench> {
  const plugins: Bench[0] = [[source, plugin], [jobsPackage, jobsPlugin], ...more];
  // The start files of whoever runs the tests are not theirs to depend on.
  const { 'shell-tools': own = {}, ...rest } = settings;
  const bench = await openWorkbench(plugins, {
    files,
    settings: { 'shell-tools': { startFiles: false, ...(own as object) }, ...rest },
  });
  bench.kernel.install(agentHooks);
  return bench;
}

/** Whether a process runs. A zombie is dead: it waits to be noticed by whoever inherited it. */
export function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
}
