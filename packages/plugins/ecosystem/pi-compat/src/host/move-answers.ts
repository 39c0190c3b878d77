/** What commands of extensions may do to a session: wait, summarize, begin another, go back. */
import type { AgentSession } from '@tenon/agent/api';
import type { AgentMessage, EntryBodies, EntryType } from '@tenon/sessions/api';
import type { SessionScope } from '../protocol.ts';
import { type Asker, need } from './asker.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a new session begins with. */
interface NewSession {
  readonly parentSession?: string;
  readonly entries: readonly { readonly type: string; readonly body: Fields }[];
}

/** The methods. Each of them lets the prompt that the command came with end first: nothing could move before. */
export function moveMethods(asker: Asker): Readonly<Record<string, (...args: never[]) => unknown>> {
  const free = (place: SessionScope, what: string): AgentSession => {
    const agent = need(asker, place, what);
    asker.giveWay(place);
    return agent;
  };
  const moved = (
    agent: AgentSession,
    result: { readonly cancelled: boolean; readonly text?: string; readonly editorText?: string },
  ) => ({
    ...result,
    session: agent.session.id,
  });
  return {
    waitForIdle: (place: SessionScope) => free(place, 'ctx.waitForIdle()').idle(),
    compact: async (place: SessionScope, instructions?: string) => {
      const agent = free(place, 'ctx.compact()');
      const { tokensBefore } = await agent.compact(typeof instructions === 'string' ? instructions : undefined);
      const [entry] = agent.session.walk();
      return entry?.type === 'compaction' ? { ...entry } : { summary: '', tokensBefore };
    },
    newSession: async (place: SessionScope, { parentSession, entries }: NewSession) => {
      const agent = free(place, 'ctx.newSession()');
      await agent.idle();
      const result = await agent.newSession(parentSession === undefined ? {} : { parentSession });
      if (!result.cancelled) await write(agent, entries);
      return moved(agent, result);
    },
    switchSession: async (place: SessionScope, file: string) => {
      const agent = free(place, 'ctx.switchSession()');
      await agent.idle();
      return moved(agent, await agent.switchSession(String(file)));
    },
    branch: async (place: SessionScope, entryId: string) => {
      const agent = free(place, 'ctx.branch()');
      await agent.idle();
      return moved(agent, await agent.branch(String(entryId)));
    },
    navigateTree: async (place: SessionScope, target: string, options: Fields = {}) => {
      const agent = free(place, 'ctx.navigateTree()');
      await agent.idle();
      const { summarize, customInstructions } = options;
      const { cancelled, text } = await agent.branchTo(target === null ? null : String(target), {
        summarize: summarize === true,
        ...(typeof customInstructions === 'string' && { instructions: customInstructions }),
      });
      return moved(agent, { cancelled, ...(text !== undefined && { editorText: text }) });
    },
    reload: (place: SessionScope) => {
      asker.giveWay(place);
      asker.reload();
    },
  };
}

const WRITABLE: readonly string[] = [
  'message',
  'custom',
  'custom_message',
  'model_change',
  'thinking_level_change',
] satisfies EntryType[];

async function write(agent: AgentSession, entries: NewSession['entries']): Promise<void> {
  for (const { type, body } of entries) {
    if (type === 'name') await agent.session.setTitle(String(body['name']), 'user');
    else if (type === 'message') await agent.session.append('message', { message: stamped(body['message']) });
    else if (WRITABLE.includes(type)) await agent.session.append(type as EntryType, body as EntryBodies[EntryType]);
  }
  if (entries.length > 0) agent.reload();
}

function stamped(message: unknown): AgentMessage {
  return { timestamp: Date.now(), ...(message as Omit<AgentMessage, 'timestamp'>) } as AgentMessage;
}
