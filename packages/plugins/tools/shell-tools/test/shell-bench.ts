/** The plugins that the tests of the shell tools work with. */
import { sessionShutdown, sessionSwitch, userBash } from '@tenon/agent/api';
import { standIn } from '@tenon/test-kit/kernel';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

type Bench = Parameters<typeof openWorkbench>;

/** Stands in for the agent plugin: the hooks that it defines. */
export const agentHooks = standIn([sessionShutdown, sessionSwitch, userBash], 'agent');

/** A workbench with the shell tools and jobs. */
export async function openShellBench({
  files = {},
  settings = {},
  more = [],
}: { files?: Record<string, string>; settings?: Record<string, unknown>; more?: Bench[0] } = {}): Promise<Workbench> {
  const plugins: Bench[0] = ['shell-tools', 'jobs', agentHooks, ...more];
  // The start files of whoever runs the tests are not theirs to depend on.
  const { 'shell-tools': own = {}, ...rest } = settings;
  return openWorkbench(plugins, {
    files,
    settings: { 'shell-tools': { startFiles: false, ...(own as object) }, ...rest },
  });
}
