/** The input of a call before it is judged: repaired, and with paths in place of Tenon's URLs. Nothing changes it afterwards. */
import type { Folders } from '@tenon/host';
import { TenonError } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { scopeOf, type ToolInputEvent } from '@tenon/tools/api';
import type { UrlRouter } from '@tenon/urls/api';
import type { ShellPool } from './shell-pool.ts';
import { fixCommand } from './fix-ups.ts';
import { expandCommand, expandValue, hasNoUrl } from './internal-urls.ts';

/** What finds the files behind URLs. */
export interface InputHost {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly pool: Pick<ShellPool, 'show'>;
  syntax(): Promise<Accelerators['syntax']>;
  urls(): Promise<UrlRouter | undefined>;
}

type Change<T> = T | undefined | Promise<T | undefined>;

/** What the gate will judge and the shell will run; undefined when the input is right as it is. */
export function readyInput(
  host: InputHost,
  event: ToolInputEvent,
  call: { readonly signal: AbortSignal },
): Change<ToolInputEvent> {
  const text = event.input['command'];
  // A tool of another plugin may have taken the name.
  if (event.tool !== 'bash' || typeof text !== 'string') return undefined;
  const { command, repairs } = fixCommand(text);
  const input = repairs.length === 0 ? event.input : { ...event.input, command };
  const fixed =
    input === event.input ? undefined : { ...event, input, repairs: [...(event.repairs ?? []), ...repairs] };
  if (hasNoUrl(command) && hasNoUrl(input['cwd']) && Object.values(envOf(input)).every(hasNoUrl)) return fixed;
  return expand(host, fixed ?? event, command, call.signal).catch((fault: unknown) => {
    if (!(fault instanceof TenonError)) throw fault;
    return { ...event, problem: [fault.message, fault.next].filter(Boolean).join(' ') };
  });
}

async function expand(
  host: InputHost,
  event: ToolInputEvent,
  command: string,
  signal: AbortSignal,
): Promise<ToolInputEvent> {
  const router = await host.urls();
  if (!router) return event;
  const { input } = event;
  const scope = scopeOf(event, host.folders);
  const onFile = (path: string) => host.pool.show(scope.session, path);
  const urls = { router, syntax: await host.syntax(), scope, signal, onFile };
  const env: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(envOf(input))) env[name] = await expandValue(value, urls);
  const changed = {
    command: await expandCommand(command, urls),
    ...(input['cwd'] !== undefined && { cwd: await expandValue(input['cwd'], urls) }),
    ...(input['env'] !== undefined && { env }),
  };
  return { ...event, input: { ...input, ...changed } };
}

function envOf(input: ToolInputEvent['input']): object {
  const { env } = input;
  return typeof env === 'object' && env !== null ? env : {};
}
