/** `/undo`: takes back what the calls of this session changed, without leaving it. */
import type { AgentSession } from '@tenon/agent/api';
import { entryLine, outcomeText, type Undo, type UndoOutcome } from '@tenon/undo/api';
import { plainLine } from '@tenon/wording';
import type { SlashOutcome } from '../api.ts';
import { prompts } from '../prompts/index.ts';

const LISTED = 20;
const NAMED = 50;

/** The last call, so many, the list of them, or the last undo. */
export async function undo(agent: AgentSession, files: Undo | undefined, args: string): Promise<SlashOutcome> {
  if (!files)
    return {
      kind: 'refused',
      reason: 'The plugin "undo" is switched off.',
      next: 'Switch it on with `tenon plugin enable undo`.',
    };
  const { cwd, session } = agent;
  const request = { cwd, session: session.id };
  if (args === 'list') {
    const entries = (await files.list(request)).slice(0, LISTED);
    const text =
      entries.length === 0 ? 'No call of this session has changed a file.' : entries.map(entryLine).join('\n');
    return { kind: 'handled', text };
  }
  const isRedo = args === 'redo';
  if (!isRedo && !/^(?:[1-9]\d{0,8})?$/.test(args))
    return {
      kind: 'refused',
      reason: `/undo does not know "${plainLine(args)}".`,
      next: 'Use /undo, or /undo with a number of calls, list or redo.',
    };
  const outcome = await files.restore({
    ...request,
    ...(isRedo ? { redo: true } : args !== '' && { count: Number(args) }),
  });
  if (outcome.changes.length > 0) tellModel(agent, outcome, isRedo);
  return { kind: 'handled', text: outcomeText(outcome, isRedo, isRedo ? '/undo' : '/undo redo').trimEnd() };
}

/** What the model has read and written is no longer so. */
function tellModel(agent: AgentSession, { changes }: UndoOutcome, isRedo: boolean): void {
  const shown = changes.slice(0, NAMED).map(({ path }) => plainLine(path));
  if (changes.length > NAMED) shown.push(`… and ${changes.length - NAMED} more`);
  const content = prompts.filesUndone({ isRedo, paths: shown });
  agent.nextTurn({ role: 'custom', customType: 'undo', content, display: false, timestamp: Date.now() });
}
