import { join } from 'node:path';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { promptHistory, sessionPersist, sessionStore } from './api.ts';
import type { SessionEntry } from './entries.ts';
import { SqliteHistory } from './history.ts';
import { FileSessionStore } from './store.ts';
import type { SessionsSettings } from './generated/settings.ts';

/** Provides the session store and the prompt history. */
export default definePlugin({
  id: 'sessions',
  config: Type.Unsafe<SessionsSettings>({}),
  needs: { folders },
  defines: [sessionStore, promptHistory, sessionPersist],
  activate(ctx) {
    const { data, state } = ctx.needs.folders;
    const persist = async (session: string, entry: SessionEntry) =>
      (await ctx.run(sessionPersist, { session, entry })).entry;
    ctx.provide(
      sessionStore,
      new FileSessionStore({ dataFolder: data, stateFolder: state, fsync: ctx.config.fsync, persist }),
    );
    const history = new SqliteHistory(join(state, 'history.db'), {
      enabled: ctx.config.history,
      mask: async (prompt) => textOf(await persist('', asEntry(prompt)), prompt),
    });
    ctx.defer(() => history.close());
    ctx.provide(promptHistory, history);
  },
});

/** A prompt as it would stand in a session, so that what masks sessions masks the history too. */
function asEntry(prompt: string): SessionEntry {
  const now = new Date();
  const message = { role: 'user' as const, content: prompt, timestamp: now.getTime() };
  return { type: 'message', id: '', parentId: null, timestamp: now.toISOString(), message };
}

function textOf(entry: SessionEntry, typed: string): string {
  const content = entry.type === 'message' && entry.message.role === 'user' ? entry.message.content : undefined;
  if (typeof content === 'string') return content;
  throw new TypeError(`a handler of "session.persist" made something else of a prompt of ${typed.length} characters`);
}
