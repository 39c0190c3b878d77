import { agentFactory, context } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { promptHistory, sessionStore } from '@tenon/sessions/api';
import { modes } from './api.ts';
import { InterfaceSwitch, type LaunchFlags, launchFlags, userInterface } from '@tenon/host';
import { EventWriter } from './event-writer.ts';

/** The command that starts the agent, the slot for its modes, and the way to whoever uses it. */
export default definePlugin({
  id: 'modes',
  defines: [modes, userInterface, launchFlags],
  activate(ctx) {
    const writers = new Set<EventWriter>();
    const ui = new InterfaceSwitch();
    ctx.provide(userInterface, ui);
    let flags: LaunchFlags | undefined;
    ctx.provide(launchFlags, { current: () => flags });
    // A reader that does not keep up holds the next turn back, for as long as it takes.
    const holdBack = () => {
      const behind = [...writers].filter((writer) => writer.isBehind);
      return behind.length > 0
        ? Promise.all(behind.map((writer) => writer.caughtUp())).then(() => undefined)
        : undefined;
    };
    ctx.on(context, holdBack, { deadlineMs: Infinity });
    ctx.contribute(cliCommands, 'agent', {
      run: async (call) => {
        const { launch, launchFlagsIn } = await import('./launch.ts');
        flags = launchFlagsIn(call.flags);
        return launch(
          {
            agents: await ctx.find(agentFactory),
            store: await ctx.find(sessionStore),
            log: ctx.log,
            history: () => ctx.find(promptHistory),
            run: (hook, given, signal) => ctx.run(hook, given, signal),
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
