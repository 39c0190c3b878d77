/** `inspect_image`: what a model that sees says about an image. */
import { open } from 'node:fs/promises';
import { type Folders } from '@tenon/host';
import { messageOf, Type } from '@tenon/kernel';
import {
  type AssistantMessage,
  failureText,
  type Model,
  type ModelMessage,
  type ModelRegistry,
} from '@tenon/models/api';
import { explainFailures, resolvePath, textResult, type Tool, type ToolCall, type TouchCall } from '@tenon/tools/api';
import type { UrlRouter } from '@tenon/urls/api';
import { byteText, plainText } from '@tenon/wording';
import { errors } from './errors.ts';
import type { FittingImage, ImageFitter } from './fit-images.ts';
import { prompts } from './prompts/index.ts';

/** Files above this are no images for a conversation. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_QUESTION_CHARS = 4_000;
const MAX_ANSWER_CHARS = 20_000;

/** What the tool works with. */
export interface InspectHost {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly fitter: ImageFitter;
  /** False: no image goes to a model. */
  readonly send: boolean;
  models(): Promise<ModelRegistry>;
  /** The model that leads a session; nothing for calls by hand. */
  lead(session: string | undefined): Promise<Model | undefined>;
  urls(): Promise<UrlRouter | undefined>;
  /** Counts what the model used for a session. */
  used(scope: NonNullable<ToolCall['scope']>, message: AssistantMessage): Promise<void>;
  /** What a request becomes on its way out: secrets are masked. */
  outgoing(parts: {
    readonly systemPrompt: string;
    readonly messages: readonly ModelMessage[];
    readonly session?: string;
  }): Promise<{
    readonly systemPrompt: string;
    readonly messages: readonly ModelMessage[];
  }>;
}

/** Makes the tool. */
export function createInspectImageTool(host: InspectHost): Tool {
  const cwdOf = ({ scope }: TouchCall) => scope?.cwd ?? host.folders.cwd;
  return explainFailures({
    description: prompts.inspectImage(),
    parameters: Type.Object(
      {
        path: Type.String({
          minLength: 1,
          maxLength: 4_000,
          description: 'The image: a path, or an address like artifact://3',
        }),
        question: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARS, description: 'What to find out' }),
      },
      { additionalProperties: false },
    ),
    async touches(input, call) {
      const path = String(input['path'] ?? '');
      if ((await host.urls())?.schemeOf(path) !== undefined) return {};
      return { reads: [resolvePath(cwdOf(call), path)] };
    },
    async execute(input, call) {
      const { path, question } = input as { path: string; question: string };
      if (!host.send) throw errors.create('VISION_NOT_SENT');
      // The model first: without one there is no reason to read anything.
      const model = await seeingModel(host, call);
      const fitting = await host.fitter.fit(await readImage(host, path, cwdOf(call), call), call.signal);
      if ('problem' in fitting) throw errors.create('VISION_IMAGE', { path, reason: fitting.problem });
      const { text, usage } = await ask(host, model, fitting.image, question, call);
      const { mimeType } = fitting.image;
      // A session that is opened again counts what its results say was spent.
      const details = { model: `${model.provider}/${model.id}`, imagePath: path, mimeType, spent: usage };
      return textResult(plainText(text).slice(0, MAX_ANSWER_CHARS), details);
    },
  });
}

/** A model of the session's provider, unless the user chose one for images. */
async function seeingModel(host: InspectHost, { scope }: ToolCall): Promise<Model> {
  const models = await host.models();
  const lead = await host.lead(scope?.session);
  const { model } = await models.forRole('vision', lead && { beside: lead });
  if (!model.input.includes('image')) throw errors.create('VISION_BLIND', { model: `${model.provider}/${model.id}` });
  return model;
}

/** The bytes of a file, or of what stands behind an address. */
async function readImage(host: InspectHost, path: string, cwd: string, call: ToolCall): Promise<FittingImage> {
  const urls = await host.urls();
  let bytes: Uint8Array;
  if (urls?.schemeOf(path) !== undefined) {
    const { signal, scope } = call;
    const content = await urls.read(path, {
      signal,
      raw: true,
      ...(scope && { scope: { session: scope.session, cwd } }),
    });
    bytes =
      content.bytes ??
      (content.file === undefined ? Buffer.from(content.content) : await readBytes(content.file, path));
  } else {
    bytes = await readBytes(resolvePath(cwd, path), path);
  }
  // The type is read from the bytes when they are made fit.
  return { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: '' };
}

async function readBytes(file: string, shown: string): Promise<Buffer> {
  try {
    const { constants } = await import('node:fs');
    // Without waiting: a pipe must not hold up everything.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new Error('it is not a file');
      if (stat.size > MAX_FILE_BYTES) {
        throw new Error(`it has ${byteText(stat.size)}, more than the ${byteText(MAX_FILE_BYTES)} that are read`);
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (fault) {
    throw errors.create(
      'VISION_FILE',
      { path: shown, reason: messageOf(fault).replace(/^\w+: |, (?:open|read).*$/g, '') },
      fault,
    );
  }
}

async function ask(
  host: InspectHost,
  model: Model,
  image: FittingImage,
  question: string,
  { scope, signal }: ToolCall,
): Promise<{ readonly text: string; readonly usage: AssistantMessage['usage'] }> {
  const name = `${model.provider}/${model.id}`;
  const message: ModelMessage = {
    role: 'user',
    content: [image, { type: 'text', text: question }],
    timestamp: Date.now(),
  };
  const { systemPrompt, messages } = await host.outgoing({
    systemPrompt: prompts.looking(),
    messages: [message],
    ...(scope && { session: scope.session }),
  });
  const request = { model, systemPrompt, messages, tools: [], toolChoice: 'none' as const };
  for await (const event of (await host.models()).stream(request, { signal })) {
    if (event.type !== 'done' && event.type !== 'error') continue;
    // An answer that breaks off was paid for as well.
    if (scope) await host.used(scope, event.type === 'done' ? event.message : event.error);
    if (event.type === 'error') {
      signal.throwIfAborted();
      throw errors.create('VISION_NO_ANSWER', { model: name, reason: failureText(event.error) });
    }
    const text = event.message.content
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n')
      .trim();
    if (text === '') break;
    return { text, usage: event.message.usage };
  }
  throw errors.create('VISION_NO_ANSWER', { model: name, reason: 'it ended without one' });
}
