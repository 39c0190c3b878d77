import { agentFactory, context } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { type CliCommand, cliCommands, type CommandCall, EXIT } from '@tenon/command-line/api';
import { definePlugin, type Registry } from '@tenon/kernel';
import { planMode } from '@tenon/planning-tools/api';
import { type SecretMasks, secretMasks } from '@tenon/secrets/api';
import { promptHistory, sessionStore } from '@tenon/sessions/api';
import { tools } from '@tenon/tools/api';
import { modes } from './api.ts';
import { modeControl } from '@tenon/host';
import { EventWriter } from './event-writer.ts';
import { mayBeInput } from './input.ts';

/** The command that starts the agent, and the slot for its modes. */
export default definePlugin({
  id: 'modes',
  defines: [modes],
  activate(ctx) {
    const writers = new Set<EventWriter>();
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
        if (call.flags['list-sessions'] === true) return listSessions(ctx.read(cliCommands), call);
        const { extensionFlagsIn, runMode } = await import('./run-mode.ts');
        const control = await ctx.find(modeControl);
        let masks: SecretMasks | undefined;
        control.setFlags(extensionFlagsIn(call.flags));
        return runMode(
          {
            agents: () => ctx.find(agentFactory),
            store: () => ctx.find(sessionStore),
            prepareEvents: async () => void (masks = await ctx.findOptional(secretMasks)),
            log: ctx.log,
            history: () => ctx.find(promptHistory),
            run: (hook, given, signal) => ctx.run(hook, given, signal),
            modes: ctx.read(modes),
            toolNames: () =>
              ctx
                .read(tools)
                .list()
                .map(({ key }) => key),
            approvals: () => ctx.findOptional(approvals),
            plans: () => ctx.find(planMode),
            get stdin() {
              return process.stdin;
            },
            hasInput: () => mayBeInput(0),
            eventWriter(write) {
              const secrets = masks;
              const writer = new EventWriter(write, secrets && { mask: (frame) => secrets.mask(frame) });
              writers.add(writer);
              return writer;
            },
            useInterface: (ui) => control.useInterface(ui),
            onEnd: (end) => control.onEnd(end),
          },
          call,
        );
      },
    });
  },
});

/** The flag that other agents have, for what is a command here. */
async function listSessions(commands: Registry<CliCommand>, call: CommandCall): Promise<number> {
  const command = await commands.resolve('session list');
  const code = await command.run({ ...call, args: {}, flags: { all: false, json: call.flags['json'], limit: '20' } });
  return code ?? EXIT.ok;
}
