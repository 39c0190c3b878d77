/** What a host does not do, whoever asks for it: whoever can write to the database can ask for anything. */
import type { RunRequest } from '@tenon/runs/api';

/** Why a host refuses a run; undefined when it does not. */
export function refusalOf(
  { sandbox, env = {}, context = [] }: Pick<RunRequest, 'sandbox' | 'env' | 'context'>,
  { host, allowsUnsandboxed }: { readonly host: string; readonly allowsUnsandboxed: boolean },
): string | undefined {
  // They would be copied for the worker by this process, which no sandbox confines. No desk sends them.
  if (context.length > 0) return `The run names files of the host ${host} (context), which hosts give to nobody.`;
  // Variables reach programs outside of the sandbox, too.
  const isOpen = sandbox === 'off' || Object.keys(env).length > 0;
  if (!isOpen || allowsUnsandboxed) return undefined;
  return `The host ${host} does no runs without a sandbox or with variables of their own (its setting fleet.allowUnsandboxed).`;
}
