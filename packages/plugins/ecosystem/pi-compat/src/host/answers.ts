/** What one extension may ask of Tenon. Everything that arrives is checked, because it may come from a stranger's code. */
import type { AgentSession } from '@tenon/agent/api';
import { messageOf } from '@tenon/kernel';
import { type ImageContent, type ModelRequest, THINKING_LEVELS, type ThinkingLevel } from '@tenon/models/api';
import { type DialogOptions, gitBranch, type UserInterface } from '@tenon/host';
import type { AgentMessage, CustomMessage, SessionEntry } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';
import type { ExtensionShape, SessionScope, SessionPage, SessionState } from '../protocol.ts';
import { KEPT_KEY } from '../runtime/models.ts';
import { type Asker, need } from './asker.ts';
import type { Answers } from './link.ts';
import { callableTools, executeTool, toolsOf } from './tool-answers.ts';
import { moveMethods } from './move-answers.ts';
import { piEntry, piModel, textOf } from './pi-shapes.ts';

const PAGE_BYTES = 8 * 1024 * 1024;
const MAX_TEXT = 1024 * 1024;

/** Makes the answers for one extension. */
export function createAnswers(asker: Asker): Answers {
  const { world } = asker;
  const shape = (given: ExtensionShape) => asker.setShape(given);
  return {
    questions: {
      shape,
      state: (place: SessionScope) => stateOf(asker, place),
      systemPrompt: (place: SessionScope) => asker.liveAgent(place)?.state.systemPrompt ?? '',
      session: (place: SessionScope, known: number) => pageOf(asker.liveAgent(place), place, known),
      flag: async (name: string) => {
        const values = await world.flagValues();
        return (Object.hasOwn(values, name) ? values[name] : world.config.flags[name]) ?? null;
      },
      screen: () => asker.components.state(),
      screenNow: (what: string) =>
        what === 'editorText' ? (asker.screen?.editorText() ?? null) : (asker.screen?.toolsExpanded() ?? null),
      setTheme: (name: string) => asker.screen?.setTheme(text(name)) === true,
      footer: (place: SessionScope) => footerOf(asker, place),
      name: (place: SessionScope) => asker.liveAgent(place)?.session.header.title ?? null,
      models: () => asker.knownModels,
      allTools: () => toolsOf(asker),
      callableTools: (place: SessionScope, callId: string) => callableTools(asker, place, callId),
      mcpServers: () => asker.mcpServersBeside(),
      commands: (place: SessionScope) => asker.commandNames(place),
      append: async (place: SessionScope, customType: string, data: unknown) => {
        await need(asker, place, 'pi.appendEntry()').session.append('custom', {
          customType: text(customType),
          ...(data !== undefined && { data }),
        });
      },
      label: async (place: SessionScope, targetId: string, label?: string) => {
        await need(asker, place, 'pi.setLabel()').session.append('label', {
          targetId: text(targetId),
          ...(typeof label === 'string' && { label }),
        });
      },
      setName: async (place: SessionScope, name: string) => {
        const { session } = need(asker, place, 'pi.setSessionName()');
        await session.setTitle(text(name), 'user');
        asker.noteName(session.id);
      },
      setTools: async (place: SessionScope, names: readonly string[]) => {
        const agent = need(asker, place, 'pi.setActiveTools()');
        const known = new Set(world.tools.list().map(({ key }) => key));
        asker.toolsDecided(agent.session.id);
        await agent.setTools(names.map(String).filter((name) => known.has(name)));
      },
      setThinking: async (place: SessionScope, level: string) => {
        if (!isThinking(level)) throw new TypeError(`"${level}" is not a level of thinking`);
        await need(asker, place, 'pi.setThinkingLevel()').setThinking(level);
      },
    },
    methods: {
      shape,
      ...moveMethods(asker),
      send: (place: SessionScope, message: Partial<CustomMessage>, options: Readonly<Record<string, unknown>>) =>
        send(asker, place, message, options),
      sendUser: (place: SessionScope, content: unknown, options: Readonly<Record<string, unknown>>) =>
        sendUser(asker, place, content, options),
      abort: async (place: SessionScope) =>
        void need(asker, place, 'ctx.abort()')
          .abort()
          .catch(() => undefined), // told to whoever runs it
      shutdown: () => world.endMode(),
      setModel: (place: SessionScope, wanted: string) => setModel(asker, place, wanted),
      apiKey: (_place: SessionScope, provider: string) => apiKey(asker, provider),
      executeTool: (
        place: SessionScope,
        callId: string,
        name: string,
        args: unknown,
        signal: unknown,
        onUpdate: unknown,
      ) => executeTool(asker, place, text(callId), { name: text(name), args, signal, onUpdate }),
      complete: (_place: SessionScope, asked: Completion) => complete(asker, asked),
      pendingAction: (place: SessionScope, id: number, about: PendingShape) => pendingAction(asker, place, id, about),
      ui: (place: SessionScope, method: string, ...args: unknown[]) => showOrAsk(asker, place, method, args),
      screen: (place: SessionScope, what: string, ...args: unknown[]) =>
        asker.components.answer(place, text(what), args),
      bus: (channel: string, data: unknown) => asker.tellOthers(text(channel), data),
      fault: (where: string, message: string) => asker.fault(text(where), text(message)),
      refused: (what: string, instead: string) => asker.refused(text(what), text(instead)),
      log: (level: string, message: string, fields: unknown) => {
        const write = level === 'error' ? 'error' : level === 'warn' ? 'warn' : level === 'info' ? 'info' : 'debug';
        const about =
          typeof fields === 'object' && fields !== null
            ? { extension: asker.name, ...fields }
            : { extension: asker.name };
        world.log[write](text(message), about);
      },
    },
  };
}

function stateOf(asker: Asker, place: SessionScope): SessionState {
  const state = asker.liveAgent(place)?.state;
  return {
    isIdle: state?.isStreaming !== true || asker.isOpening(place),
    pending: (state?.queuedMessages ?? 0) > 0,
    hasUI: asker.canAsk,
    hasScreen: asker.screen !== undefined,
    thinking: state?.thinking ?? 'off',
    contextTokens: state?.contextTokens ?? 0,
    contextWindow: state?.model.contextWindow ?? 0,
    activeTools: state?.tools.map(({ name }) => name) ?? [],
    ...(state && { model: piModel(state.model) }),
  };
}

/** What a footer shows beside the session. */
function footerOf(asker: Asker, place: SessionScope): Readonly<Record<string, unknown>> {
  const branch = gitBranch(asker.liveAgent(place)?.cwd ?? place.cwd);
  return {
    statuses: Object.fromEntries(asker.statuses),
    providers: new Set(asker.knownModels.map(({ provider }) => provider)).size,
    ...(branch !== undefined && { branch }),
  };
}

/** The entries after the first `known` ones, as many as one message should hold. */
function pageOf(agent: AgentSession | undefined, place: SessionScope, known: number): SessionPage {
  const session = agent?.session;
  if (!session) return { session: place.session ?? '', header: {}, leafId: null, entries: [], labels: {}, more: false };
  const entries: Readonly<Record<string, unknown>>[] = [];
  let bytes = 0;
  let index = 0;
  let more = false;
  for (const entry of session.entries()) {
    if (index++ < known) continue;
    more = bytes > PAGE_BYTES;
    if (more) break;
    bytes += JSON.stringify(entry).length;
    entries.push(piEntry(entry as SessionEntry));
  }
  const { header, file, leafId } = session;
  return {
    session: session.id,
    header: { ...header },
    leafId,
    entries,
    labels: Object.fromEntries(session.labels()),
    more,
    ...(header.title !== undefined && { name: header.title }),
    ...(file !== undefined && { file }),
  };
}

async function send(
  asker: Asker,
  place: SessionScope,
  message: Partial<CustomMessage>,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const agent = need(asker, place, 'pi.sendMessage()');
  const { customType, content, display, details, attribution } = message;
  const made: CustomMessage = {
    role: 'custom',
    customType: text(customType ?? asker.name),
    content: contentOf(content),
    display: display !== false,
    timestamp: Date.now(),
    ...(details !== undefined && { details }),
    ...((attribution === 'user' || attribution === 'agent') && { attribution }),
  };
  const deliverAs = deliveryOf(options['deliverAs']) ?? 'steer';
  const triggerTurn = options['triggerTurn'] === true;
  const custom = { customType: made.customType, ...(details !== undefined && { details }) };
  if (triggerTurn && deliverAs !== 'nextTurn' && asker.becomePrompt(place, { text: textOf(made.content), custom }))
    return;
  if (!triggerTurn && deliverAs !== 'nextTurn' && asker.isOpening(place)) return append(agent, made);
  await agent.send(made, { deliverAs, triggerTurn });
}

/** Into the session at once: an agent that has only taken a command will not come to what waits in its queues. */
async function append(agent: AgentSession, message: CustomMessage): Promise<void> {
  const { role: _role, timestamp: _timestamp, ...body } = message;
  agent.emit({ type: 'message_start', message });
  await agent.session.append('custom_message', body);
  agent.reload();
  agent.emit({ type: 'message_end', message });
}

async function sendUser(
  asker: Asker,
  place: SessionScope,
  content: unknown,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const agent = need(asker, place, 'pi.sendUserMessage()');
  const images = Array.isArray(content)
    ? (content as ImageContent[])
        .filter(({ type }) => type === 'image')
        .map(({ data, mimeType }): ImageContent => ({ type: 'image', data, mimeType }))
    : [];
  const streamingBehavior = options['deliverAs'] === 'followUp' ? 'followUp' : 'steer';
  const words = textOf(content);
  if (asker.becomePrompt(place, { text: words, images })) return;
  asker.noteSent(words);
  // The extension does not wait for the answer; what goes wrong is told to the user.
  agent
    .prompt(words, { images, streamingBehavior })
    .catch((fault: unknown) => asker.fault('pi.sendUserMessage()', messageOf(fault)));
}

function deliveryOf(value: unknown): 'steer' | 'followUp' | 'nextTurn' | undefined {
  return value === 'steer' || value === 'followUp' || value === 'nextTurn' ? value : undefined;
}

function contentOf(content: unknown): CustomMessage['content'] {
  if (!Array.isArray(content)) return text(content);
  return (content as { type?: unknown }[]).filter(({ type }) => type === 'text' || type === 'image') as never;
}

async function setModel(asker: Asker, place: SessionScope, wanted: string): Promise<boolean> {
  const agent = need(asker, place, 'pi.setModel()');
  const models = await (await asker.world.models()).list();
  const model = models.find(({ provider, id }) => `${provider}/${id}` === wanted);
  if (!model?.available) return false;
  const { available: _available, ...plain } = model;
  await agent.setModel(plain);
  return true;
}

/** Only code that runs without a sandbox gets a key; the others get a word that stands for it. */
async function apiKey(asker: Asker, provider: string): Promise<string | undefined> {
  const [key] = await (await asker.world.auth()).keys(text(provider));
  return key === undefined || asker.isTrusted ? key : KEPT_KEY;
}

interface Completion {
  readonly model: { readonly provider: string; readonly id: string };
  readonly context: {
    readonly systemPrompt?: string;
    readonly messages?: readonly AgentMessage[];
    readonly tools?: ModelRequest['tools'];
  };
  readonly options: Readonly<Record<string, unknown>>;
}

/** One call of a model, with Tenon's keys. Whoever stops reading stops the call. */
async function complete(asker: Asker, { model, context, options }: Completion): Promise<AsyncIterable<unknown>> {
  const registry = await asker.world.models();
  const known = await registry.find(`${text(model?.provider)}/${text(model?.id)}`);
  if (!known) throw new Error(`There is no model ${text(model?.provider)}/${text(model?.id)}.`);
  const controller = new AbortController();
  const { maxTokens, temperature, reasoning } = options;
  const stream = registry.stream(
    {
      model: known.model,
      systemPrompt: text(context.systemPrompt ?? ''),
      messages: (context.messages ?? []) as ModelRequest['messages'],
      tools: context.tools ?? [],
      ...(typeof maxTokens === 'number' && { maxTokens }),
      ...(typeof temperature === 'number' && { temperature }),
      ...(typeof reasoning === 'string' && isThinking(reasoning) && { thinking: reasoning }),
    },
    { signal: controller.signal },
  );
  const iterator = stream[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => iterator.next(),
      return: async () => {
        controller.abort(new DOMException('The extension stopped reading.', 'AbortError'));
        return { done: true as const, value: undefined };
      },
    }),
  };
}

interface PendingShape {
  readonly label: string;
  readonly sourceToolName: string;
  readonly rejects: boolean;
}

async function pendingAction(
  asker: Asker,
  place: SessionScope,
  id: number,
  { label, sourceToolName, rejects }: PendingShape,
): Promise<void> {
  const agent = need(asker, place, 'pi.pushPendingAction()');
  const settle = (decision: string) => (reason: string) =>
    asker.request('action', [id, decision, reason]) as Promise<ToolResult>;
  await (
    await asker.world.pendingActions()
  ).push(agent.session.id, {
    label: text(label),
    sourceToolName: text(sourceToolName),
    apply: settle('apply'),
    ...(rejects && { reject: settle('reject') }),
  });
}

const DIALOGS = new Set(['select', 'confirm', 'input', 'editor']);
const NOTICES = new Set(['notify', 'setStatus', 'setWidget', 'setTitle', 'setEditorText']);

async function showOrAsk(
  asker: Asker,
  place: SessionScope,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const ui = await asker.world.ui();
  const call = (...given: unknown[]) =>
    (ui[method as keyof UserInterface] as (...words: unknown[]) => unknown)(...given);
  if (NOTICES.has(method)) {
    const kind = args[1] === 'warning' || args[1] === 'error' ? args[1] : 'info';
    // Keys of different extensions must not meet.
    const key = `${asker.name}:${text(args[0])}`;
    if (method === 'notify') call(text(args[0]), kind);
    else if (method === 'setStatus') {
      const status = args[1] === undefined || args[1] === null ? undefined : oneLine(text(args[1]));
      if (status === undefined) asker.statuses.delete(text(args[0]));
      else asker.statuses.set(text(args[0]), status);
      call(key, status);
    } else if (method === 'setWidget') call(key, Array.isArray(args[1]) ? args[1].map(text) : undefined);
    else call(text(args[0]));
    return undefined;
  }
  if (!DIALOGS.has(method)) throw new TypeError(`there is no "${method}" in the user interface`);
  const [title, second, dialog] = args;
  const options: DialogOptions = typeof dialog === 'object' && dialog !== null ? dialog : {};
  const fields =
    method === 'select'
      ? Array.isArray(second)
        ? second.map(text)
        : []
      : second === undefined
        ? undefined
        : text(second);
  const about = { reason: 'ui_prompt', kind: method, title: text(title) };
  const { turn: _turn, ...where } = place;
  asker.tellAll('ui_prompt_start', about, where);
  try {
    return await asker.whileAsking(async () => call(text(title), fields, options));
  } finally {
    asker.tellAll('ui_prompt_end', about, where);
  }
}

function oneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ').trim();
}

function isThinking(level: string): level is ThinkingLevel {
  return (THINKING_LEVELS as readonly string[]).includes(level);
}

/** Text from the other side, at most as much as somebody might read. */
function text(value: unknown): string {
  return (typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value)).slice(
    0,
    MAX_TEXT,
  );
}
