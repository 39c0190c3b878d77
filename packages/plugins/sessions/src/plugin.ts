import { join } from 'node:path';
import { folders } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { promptHistory, sessionPersist, sessionStore } from './api.ts';
import type { SessionEntry } from './entries.ts';
import { SqliteHistory } from './history.ts';
import { FileSessionStore } from './store.ts';

const Config = Type.Object(
  {
    fsync: Type.Unsafe<'always' | 'turn' | 'never'>({
      type: 'string',
      enum: ['always', 'turn', 'never'],
      default: 'turn',
      description:
        'When written entries are forced to the disk: after each, before each model call and at the end of a turn, or never.',
    }),
  },
  { additionalProperties: false },
);

/** Provides the session store and the prompt history. */
export default definePlugin({
  id: 'sessions',
  config: Config,
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
    const history = new SqliteHistory(join(state, 'history.db'));
    ctx.defer(() => history.close());
    ctx.provide(promptHistory, history);
  },
});
