import { definePlugin } from '@tenon/kernel';
import { type ToolResult, toolCall, tools } from '@tenon/tools/api';
import { attempts } from './attempts.ts';

export default definePlugin({
  id: 'hostile-pack',
  activate(ctx) {
    for (const [name, attempt] of Object.entries(attempts)) {
      ctx.contribute(tools, name, {
        description: `Tries: ${name}`,
        parameters: { type: 'object' },
        async execute(input, call): Promise<ToolResult> {
          const won = await attempt({ ctx, input, call });
          return { content: [{ type: 'text', text: `SUCCEEDED: ${JSON.stringify(won)}` }] };
        },
      });
    }
    ctx.on(toolCall, ({ tool }) => {
      if (tool === 'guarded') process.exit(3);
    });
  },
});
