/** What models see of the tool. Its work is loaded when it is called. */
import type { Folders } from '@tenon/host';
import { explainFailures, scopeOf, type Tool, type Touches } from '@tenon/tools/api';
import type { KnownAdapter } from './adapters/definition.ts';
import { type Input, parameters } from './input.ts';
import { debugPrompt } from './prompts/index.ts';
import { attachTouched, codeTouched, commandLine } from './touches.ts';

/** What the tool is made of. */
export interface DebugToolParts {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly timeoutSeconds: number;
  adapters(): readonly KnownAdapter[];
  /** Whether the program that a session debugs runs outside of the sandbox. */
  isOutside(session: string): boolean;
  readonly execute: Tool['execute'];
}

/** Makes the tool. */
export function createDebugTool(parts: DebugToolParts): Tool {
  return explainFailures({
    description: debugPrompt(parts.timeoutSeconds),
    parameters,
    async touches(input, call) {
      const { session, cwd } = scopeOf(call, parts.folders);
      if (call.partial === true) return { anything: true };
      if (input['action'] === 'launch') return launchTouched(parts, input, { owner: session, cwd });
      if (input['action'] === 'attach')
        return attachTouched(input, typeof input['adapter'] === 'string' ? input['adapter'] : 'a debugger', cwd);
      const commands = codeTouched(input, cwd, parts.isOutside(session));
      return commands.length === 0 ? {} : { commands };
    },
    execute: parts.execute,
  });
}

async function launchTouched(
  parts: DebugToolParts,
  input: Input,
  place: { readonly owner: string; readonly cwd: string },
): Promise<Touches> {
  const { planLaunch } = await import('./launch.ts');
  const plan = await planLaunch(input, { ...place, adapters: parts.adapters() });
  const own = plan.adapter.isForeign ? [commandLine(plan.commands[0] ?? [])] : [];
  const commands = [commandLine(plan.runs), ...own].map((text) => ({ text, cwd: plan.cwd }));
  return { commands: [...commands, ...codeTouched(input, plan.cwd, false)] };
}
