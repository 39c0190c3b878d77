import type { AgentSession } from '@tenon/agent/api';
import type { ComponentScreen } from '@tenon/host';
import type { ImageContent } from '@tenon/models/api';
import type { CustomMessage } from '@tenon/sessions/api';
import { errors } from '../errors.ts';
import type { ExtensionShape, SessionScope } from '../protocol.ts';
import type { ExtensionComponents } from './components.ts';
import type { NestedCalls } from './nested-calls.ts';
import type { ExtensionServices } from './services.ts';

/** What a command comes to when it says something that the model is to answer. */
export interface CommandPrompt {
  readonly text: string;
  readonly images?: readonly ImageContent[];
  /** Set when it is a message of the extension. */
  readonly custom?: Pick<CustomMessage, 'customType' | 'details'>;
}

/** The extension that asks, as far as the answers need it. */
export interface Asker {
  readonly name: string;
  readonly world: ExtensionServices;
  readonly isTrusted: boolean;
  /** The agents of the folder, known without waiting. */
  liveAgent(place: SessionScope): AgentSession | undefined;
  readonly knownModels: readonly Readonly<Record<string, unknown>>[];
  readonly canAsk: boolean;
  /** What it shows on the screen. */
  readonly components: ExtensionComponents;
  readonly screen: ComponentScreen | undefined;
  readonly shape: ExtensionShape;
  /** The calls that tools of the folder's extensions make. */
  readonly calls: NestedCalls;
  /** The MCP servers of the folder's other extensions, without what may be secret. */
  mcpServersBeside(): readonly Readonly<Record<string, unknown>>[];
  /** What extensions say in the status line. */
  readonly statuses: Map<string, string>;
  setShape(shape: ExtensionShape): Promise<void>;
  tellOthers(channel: string, data: unknown): void;
  /** The extension waits for a person: the clock of its handlers stands still meanwhile. */
  whileAsking<T>(work: () => Promise<T>): Promise<T>;
  request(method: string, args: readonly unknown[]): Promise<unknown>;
  fault(where: string, message: string): void;
  refused(what: string, instead: string): void;
  commandNames(place: SessionScope): readonly Readonly<Record<string, unknown>>[];
  /** Called before the extension waits for the agent or moves it to another session. */
  giveWay(place: SessionScope): void;
  reload(): void;
  /** Whether the agent has taken a prompt and not begun to work on it: to the extension whose command it is, it is idle. */
  isOpening(place: SessionScope): boolean;
  /** Makes a message the prompt that the running command comes to; false when there is no such command. */
  becomePrompt(place: SessionScope, prompt: CommandPrompt): boolean;
  /** The extension says something in the name of the user. */
  noteSent(text: string): void;
  /** From now on the extension decides which tools a session has. */
  toolsDecided(session: string): void;
  /** Tells every extension of the folder, without waiting. */
  tellAll(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void;
  /** The session may have another name now. */
  noteName(session: string): void;
}

/** The agent, or an error that says what the extension did wrong. */
export function need(asker: Asker, place: SessionScope, what: string): AgentSession {
  const agent = asker.liveAgent(place);
  if (!agent) throw errors.create('PI_COMPAT_NO_SESSION', { extension: asker.name, what });
  return agent;
}
