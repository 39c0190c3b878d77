import { agentFactory, context } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { sessionStore } from '@tenon/sessions/api';
import { modes, userInterface } from './api.ts';
import { EventWriter } from './event-writer.ts';
import { InterfaceSwitch } from './user-interface.ts';

/** The command that starts the agent, the slot for its modes, and the way to whoever uses it. */
export default definePlugin({
  id: 'modes',
  defines: [modes, userInterface],
  activate(ctx) {
    const writers = new Set<EventWriter>();
    const ui = new InterfaceSwitch();
    ctx.provide(userInterface, ui);
    // A reader that does not keep up holds the next turn back, for as long as it takes.
    const holdBack = async () => void (await Promise.all([...writers].map((writer) => writer.caughtUp())));
    ctx.on(context, holdBack, { deadlineMs: Infinity });
    ctx.contribute(cliCommands, 'agent', {
      run: async (call) => {
        const { launch } = await import('./launch.ts');
        return launch(
          {
            agents: await ctx.find(agentFactory),
            store: await ctx.find(sessionStore),
            modes: ctx.read(modes),
            stdin: process.stdin,
            eventWriter(write) {
              const writer = new EventWriter(write);
              writers.add(writer);
              return writer;
            },
            useInterface: (current) => ui.use(current),
          },
          call,
        );
      },
    });
  },
});
