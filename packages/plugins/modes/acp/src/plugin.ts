import { liveAgents } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { editPreview, fileViews } from '@tenon/file-tools/api';
import { AGENT_VARIABLE, kernelView, ownProgram } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { mcpHub } from '@tenon/mcp/api';
import { modelRegistry } from '@tenon/models/api';
import { modes } from '@tenon/modes/api';
import { planMode, todos } from '@tenon/planning-tools/api';
import { secretMasks } from '@tenon/secrets/api';
import { sessionStore } from '@tenon/sessions/api';
import { slashCommands } from '@tenon/slash-commands/api';

/** Tenon inside editors: the Agent Client Protocol. */
export default definePlugin({
  id: 'acp',
  activate(ctx) {
    ctx.contribute(cliCommands, 'acp', {
      async run(call) {
        const commands = ctx.read(cliCommands);
        if (call.flags['login'] === true) {
          const { login } = await import('./login.ts');
          return login(await commands.resolve('auth login'), call);
        }
        // Whoever types this waits for a screen that never comes.
        if (call.io.interactive)
          await call.io.err(
            'An editor starts this and talks to it over standard input and output; `tenon read docs://guide/editors.md` says how. Ctrl-C ends it.\n',
          );
        const { model, 'no-session': noSession } = call.flags;
        const flags = {
          mode: 'acp',
          ...(model !== undefined && { model }),
          ...(noSession === true && { 'no-session': true }),
        };
        return (await commands.resolve('agent')).run({ ...call, args: { prompt: [] }, flags });
      },
    });
    ctx.contribute(modes, 'acp', {
      async run(call) {
        const [{ serveEditor }, { takeOutput }, { signOfAgent }] = await Promise.all([
          import('./serve.ts'),
          import('./own-output.ts'),
          import('./agent-above.ts'),
        ]);
        const agentSign = signOfAgent(process.env);
        // What the agent starts from here on is an agent's, also where a person has given this command.
        process.env[AGENT_VARIABLE] ??= String(process.pid);
        const masks = await ctx.findOptional(secretMasks);
        const output = takeOutput(process.stdout, process.stderr);
        try {
          return await serveEditor(call, {
            version: (await ctx.find(kernelView)).version,
            log: ctx.log,
            models: await ctx.find(modelRegistry),
            agents: await ctx.find(liveAgents),
            approvals: await ctx.findOptional(approvals),
            plans: await ctx.find(planMode),
            todos: await ctx.find(todos),
            views: await ctx.find(fileViews),
            input: process.stdin,
            output: output.stream,
            program: ownProgram(),
            environment: process.env,
            agentSign,
            store: () => ctx.find(sessionStore),
            mcp: () => ctx.findOptional(mcpHub),
            editPreview: () => ctx.findOptional(editPreview),
            slashCommands: () => ctx.find(slashCommands),
            mask: (value) => masks?.mask(value) ?? value,
          });
        } finally {
          output.giveBack();
        }
      },
    });
  },
});
