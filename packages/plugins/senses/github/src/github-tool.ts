/** The tool for issues, pull requests and runs. */
import type { Folders } from '@tenon/host';
import { explainFailures, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { type Order, orderOf, parameters } from './order.ts';
import { prompts } from './prompts/index.ts';
import type { GitHost } from './operations/checkout.ts';
import type { Servers, Target } from './servers.ts';
import { isChanging, touchesFor } from './touches.ts';

/** What the tool needs. */
export interface GithubHost extends GitHost {
  readonly folders: Folders;
  readonly pollMs: number;
  readonly watchMs: number;
  servers(): Promise<Servers>;
}

/** Makes the tool. */
export function createGithubTool(host: GithubHost): Tool {
  const targetOf = async (order: Order, cwd: string, signal: AbortSignal): Promise<Target> => {
    const servers = await host.servers();
    return order.op.startsWith('search_')
      ? servers.anyTarget(order.repo, cwd, signal)
      : servers.target(order.repo, cwd, signal);
  };
  return explainFailures({
    description: prompts.github(),
    parameters: parameters(),
    async touches(input, call) {
      if (call.partial) return { hosts: [] };
      const order = orderOf(input);
      const { cwd } = scopeOf(call, host.folders);
      const target = await targetOf(order, cwd, call.signal);
      if (order.op !== 'pr_checkout') return touchesFor(order, target, cwd, []);
      const { commonDirOf, placeFor } = await import('./operations/checkout.ts');
      const commonDir = await commonDirOf(cwd, call.signal);
      const numbers = [order.number, ...order.pulls.map((name) => Number(name.replace('#', '')))];
      // Of a branch or an address the number is not known yet; the command names them.
      const places = numbers.flatMap((number) => (number ? [placeFor(host.folders, commonDir, number)] : []));
      return touchesFor(order, target, cwd, [...new Set(places)]);
    },
    async execute(input, call) {
      const order = orderOf(input);
      const { cwd } = scopeOf(call, host.folders);
      const target = await targetOf(order, cwd, call.signal);
      const place = await (
        await host.servers()
      ).open(target, call.signal, (seconds) => {
        void call.update(textResult(`${target.host} wants a pause of ${seconds} seconds; waiting.`));
      });
      if (order.op === 'run_watch')
        return (await import('./operations/run-watch.ts')).watchRuns(order, place, cwd, host, call);
      if (order.op === 'pr_checkout')
        return (await import('./operations/checkout.ts')).checkOut(host, order, place, cwd, call.signal);
      if (order.op === 'pr_push')
        return (await import('./operations/checkout.ts')).push(host, order, place, cwd, call.signal);
      if (isChanging(order.op)) return (await import('./operations/changing.ts')).change(order, place, cwd, call);
      return (await import('./operations/reading.ts')).read(order, place, cwd, call);
    },
  });
}
