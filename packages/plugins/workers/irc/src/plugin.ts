import { liveAgents, sessionShutdown, sessionStart, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { tools } from '@tenon/tools/api';
import type { IrcSettings } from './generated/settings.ts';
import { createIrcTool } from './irc-tool.ts';
import { LocalRoom } from './local-room.ts';
import type { Processes } from './processes/processes.ts';
import { Waits } from './waits.ts';

/** Rooms in which live agents talk to each other. */
export default definePlugin({
  id: 'irc',
  config: Type.Unsafe<IrcSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { reach, replySeconds } = ctx.config;
    const failed = (fault: unknown) => ctx.log.warn(`a message between agents failed: ${messageOf(fault)}`);
    const agents = () => ctx.findOptional(liveAgents);
    const waits = new Waits();
    const room = new LocalRoom({ agents, waits, replySeconds, failed });
    let linked: Promise<Processes> | undefined;
    const link = () =>
      (linked ??= import('./processes/processes.ts').then(
        (module) => new module.Processes({ state: ctx.needs.folders.state, room, replySeconds, failed }),
      ));
    ctx.defer(async () => {
      room.close();
      await (await linked)?.leave();
    });
    ctx.contribute(
      tools,
      'irc',
      createIrcTool({
        folders: ctx.needs.folders,
        room,
        waits,
        processes: async () => (reach === 'user' ? link() : undefined),
      }),
    );
    ctx.on(sessionStart, async () => {
      if (reach !== 'user') return;
      // A session works without the others, too.
      await (await link()).join().catch(failed);
    });
    ctx.on(sessionSwitch, async ({ session }) => {
      const agent = (await agents())?.get(session);
      if (agent) room.forget(agent);
    });
    ctx.on(sessionShutdown, async ({ session }) => {
      const live = (await agents())?.list() ?? [];
      const agent = live.find((other) => other.session.id === session);
      if (agent) room.forget(agent);
      if (live.every((other) => other === agent)) await (await linked)?.leave();
    });
  },
});
