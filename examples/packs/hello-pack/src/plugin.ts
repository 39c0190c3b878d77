import { cliCommands } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { toolCall, toolResult, tools } from '@tenon/tools/api';
import { greetingWords, hideSecrets } from './greeting.ts';

const Config = Type.Object({ greeting: Type.String({ default: 'Hello' }) });

export default definePlugin({
  id: 'hello-pack',
  config: Config,
  activate(ctx) {
    const { greeting } = ctx.config;

    ctx.contribute(tools, 'greet', {
      description: 'Greets a person by name. Use it when somebody should be welcomed.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Whom to greet' } },
        required: ['name'],
        additionalProperties: false,
      },
      async execute(input, call) {
        const words = greetingWords(greeting, String(input['name']));
        for (let count = 1; count < words.length; count++) {
          call.signal.throwIfAborted();
          await call.update({ content: [{ type: 'text', text: words.slice(0, count).join(' ') }] });
        }
        return { content: [{ type: 'text', text: words.join(' ') }], details: { words: words.length } };
      },
    });

    ctx.contribute(cliCommands, 'hello', {
      async run({ args, io }) {
        await io.out(`${greetingWords(greeting, String(args['name'] ?? 'world')).join(' ')}\n`);
      },
    });

    // Nobody is greeted by an empty name, whichever tool does the greeting.
    ctx.on(toolCall, ({ tool, input }) => {
      return tool === 'greet' && input['name'] === '' ? { deny: 'a greeting needs a name' } : undefined;
    });

    ctx.on(toolResult, (event) => ({
      ...event,
      result: {
        ...event.result,
        content: event.result.content.map((part) =>
          part.type === 'text' ? { ...part, text: hideSecrets(part.text) } : part,
        ),
      },
    }));

    ctx.log.info('ready to greet', { greeting });
    ctx.defer(() => ctx.log.info('no more greetings'));
  },
});
