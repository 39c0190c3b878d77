import { beforeStart, liveAgents } from '@tenon/agent/api';
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { authStore, endpoints, modelRegistry } from '@tenon/models/api';
import { secretMasks } from '@tenon/secrets/api';
import { tools } from '@tenon/tools/api';
import { embedders, type Memory, memory } from './api.ts';
import { errors } from './errors.ts';
import type { MemorySettings } from './generated/settings.ts';
import { remembered } from './injection.ts';
import { BankMemory } from './memory-service.ts';
import { createRecallTool } from './tools/recall.ts';
import { createReflectTool } from './tools/reflect.ts';
import { createRetainTool, type MemoryToolHost } from './tools/retain.ts';

const KB = 1024;

/** What is worth remembering: facts kept on disk, recalled when they matter. */
export default definePlugin({
  id: 'memory',
  config: Type.Unsafe<MemorySettings>({}),
  needs: { folders },
  defines: [memory, embedders],
  activate(ctx) {
    const { config, needs } = ctx;
    const { embeddings } = config;
    const banks = new BankMemory({
      data: needs.folders.data,
      maxBytes: config.maxKilobytes * KB,
      // A list of secrets that cannot be read refuses here, too: better no fact than one with a key in it.
      mask: async (text) => (await ctx.findOptional(secretMasks))?.mask(text) ?? text,
      async embedder() {
        if (embeddings.embedder === '') return undefined;
        const name = `${embeddings.embedder} ${embeddings.endpoint} ${embeddings.model}`;
        return { name, embedder: await ctx.read(embedders).resolve(embeddings.embedder) };
      },
      warn: (text) => ctx.log.warn(text),
    });
    ctx.defer(() => banks.close());
    ctx.provide(memory, banks);
    ctx.contribute(embedders, 'openai-compatible', {
      embed: async (texts, call) => {
        const { openAiCompatible } = await import('./embedding/openai-compatible.ts');
        const place = async () => {
          const { endpoint, model, baseUrl } = embeddings;
          const known = baseUrl !== '' ? baseUrl : (await ctx.read(endpoints).resolve(endpoint)).baseUrl;
          if (known === undefined)
            throw errors.create('MEMORY_EMBEDDING', {
              name: 'openai-compatible',
              reason: `the endpoint "${endpoint}" has no address; set memory.embeddings.baseUrl`,
            });
          const [key] = (await (await ctx.findOptional(authStore))?.keys(endpoint)) ?? [];
          return { baseUrl: known, model, ...(key !== undefined && { key }) };
        };
        return openAiCompatible(place).embed(texts, call);
      },
    });

    const toolHost: MemoryToolHost = {
      folders: needs.folders,
      memory() {
        if (!config.enabled) throw errors.create('MEMORY_OFF');
        return banks;
      },
      agents: () => ctx.findOptional(liveAgents),
    };
    ctx.contribute(tools, 'retain', createRetainTool(toolHost));
    ctx.contribute(tools, 'recall', createRecallTool({ ...toolHost, tokens: config.recallTokens }));
    ctx.contribute(
      tools,
      'reflect',
      createReflectTool({
        ...toolHost,
        askAlone: async (question, signal) =>
          (await import('./ask-alone.ts')).askAlone(await ctx.find(modelRegistry), question, signal),
      }),
    );

    ctx.on(beforeStart, async (start) => {
      const { session, cwd } = start;
      if (!config.enabled || session === undefined || cwd === undefined) return undefined;
      try {
        const agent = (await ctx.findOptional(liveAgents))?.get(session);
        const message = await remembered(banks, { ...start, cwd }, agent, config.inject);
        return message && { ...start, inject: [...start.inject, message] };
      } catch (fault) {
        // A prompt is worth more than what is remembered about it; the doctor and `tenon memory list` tell the rest.
        ctx.log.warn(`nothing was remembered for a prompt: ${messageOf(fault)}`);
        return undefined;
      }
    });

    const commands = () => import('./commands/memory.ts');
    const all: Readonly<
      Record<string, (service: Memory, call: Parameters<CliCommand['run']>[0]) => Promise<number | void>>
    > = {
      'memory list': async (service, call) => (await commands()).listFacts(service, call),
      'memory show': async (service, call) => (await commands()).showFact(service, call),
      'memory forget': async (service, call) => (await commands()).forgetFacts(service, call),
      'memory export': async (service, call) => (await commands()).exportFacts(service, call),
      'memory vouch': async (service, call) => (await commands()).vouchFor(service, call),
    };
    for (const [key, run] of Object.entries(all)) ctx.contribute(cliCommands, key, { run: (call) => run(banks, call) });
  },
});
