import { input, liveAgents, modelRequest, modelUsed } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { type ModelMessage, modelRegistry } from '@tenon/models/api';
import { type ToolContent, type ToolResultEvent, toolResult, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { ImageFitter, NOT_SENT } from './fit-images.ts';
import type { VisionSettings } from './generated/settings.ts';
import { createInspectImageTool } from './inspect-image.ts';

/** Pictures: shrunk before they are sent, and described by a model that can see. */
export default definePlugin({
  id: 'vision',
  config: Type.Unsafe<VisionSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { send, maxSide, maxKilobytes, maxMegapixels } = ctx.config;
    const fitter = new ImageFitter({
      maxSide,
      maxBytes: maxKilobytes * 1_000,
      maxPixels: maxMegapixels * 1_000_000,
    });

    // Where images enter a session, so that it keeps the small ones: results of tools (files, pages, screenshots, MCP) …
    ctx.on(toolResult, (event) => (hasImages(event.result) ? fitResult(fitter, event) : undefined));
    // … and what the user pastes.
    ctx.on(input, async (given) => {
      if (given.images.length === 0) return undefined;
      if (!send) return { ...given, blocked: `An image cannot be sent: ${NOT_SENT}.` };
      const images = [];
      for (const image of given.images) {
        const fitting = await fitter.fit(image);
        if ('problem' in fitting) return { ...given, blocked: `An image cannot be sent: ${fitting.problem}.` };
        images.push(fitting.image);
      }
      return { ...given, images };
    });
    // What came in otherwise (files named in a prompt, older sessions) is made fit on its way out. A session keeps its images,
    // also where none goes to a model: people look at them, and may allow it later.
    const outgoing: Change = send ? (parts) => fitter.parts(parts) : async (parts) => ImageFitter.without(parts);
    ctx.on(modelRequest, (parts) => (parts.messages.some(hasImages) ? changeRequest(outgoing, parts) : undefined));

    ctx.contribute(
      tools,
      'inspect_image',
      createInspectImageTool({
        folders: ctx.needs.folders,
        fitter,
        send,
        models: () => ctx.find(modelRegistry),
        urls: () => ctx.findOptional(urlRouter),
        async lead(session) {
          return session === undefined ? undefined : (await ctx.findOptional(liveAgents))?.get(session)?.state.model;
        },
        async used({ session, cwd }, message) {
          (await ctx.findOptional(liveAgents))?.get(session)?.addUsage(message.usage);
          await ctx.run(modelUsed, { session, cwd, purpose: 'tool', message });
        },
        outgoing: (parts) => ctx.run(modelRequest, { ...parts, tools: [] }),
      }),
    );
  },
});

/** Most requests and results have none, and every turn asks about all messages: they are not waited for. */
function hasImages({ content }: { readonly content: ModelMessage['content'] | readonly ToolContent[] }): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image');
}

async function fitResult(fitter: ImageFitter, event: ToolResultEvent): Promise<ToolResultEvent | undefined> {
  const content = await fitter.parts(event.result.content);
  if (content === event.result.content) return undefined;
  return { ...event, result: { ...event.result, content: content as readonly ToolContent[] } };
}

/** What becomes of the parts of a message; the same list when nothing changes. */
type Change = (parts: readonly ToolContent[]) => Promise<readonly unknown[]>;

async function changeRequest<T extends { readonly messages: readonly ModelMessage[] }>(
  change: Change,
  parts: T,
): Promise<T | undefined> {
  const messages: ModelMessage[] = [];
  for (const message of parts.messages) messages.push(await changeMessage(change, message));
  return messages.every((message, at) => message === parts.messages[at]) ? undefined : { ...parts, messages };
}

/** The same object when nothing changes. */
async function changeMessage(change: Change, message: ModelMessage): Promise<ModelMessage> {
  if (message.role === 'assistant' || typeof message.content === 'string') return message;
  const content = await change(message.content);
  return content === message.content ? message : ({ ...message, content } as ModelMessage);
}
