/** One extension that was loaded for a folder: what it registered, and how events, tools and commands reach it. */
import { dirname } from 'node:path';
import type { AgentSession } from '@tenon/agent/api';
import type { ComponentScreen } from '@tenon/host';
import { messageOf, type Permissions, TenonError } from '@tenon/kernel';
import { inSentences } from '@tenon/wording';
import { errors } from '../errors.ts';
import {
  EMPTY_SHAPE,
  type ExtensionShape,
  type RouteAnswer,
  type RouteQuestion,
  type SessionScope,
} from '../protocol.ts';
import { createAnswers } from './answers.ts';
import type { Asker, CommandPrompt } from './asker.ts';
import { ExtensionComponents } from './components.ts';
import { EventLines } from './event-lines.ts';
import { type Answers, connect, type Link } from './link.ts';
import { codeFolders, type FoundModule } from './modules.ts';
import type { NestedCalls } from './nested-calls.ts';
import type { SharedHosts } from './shared-host.ts';
import { StallTimer } from './stall-timer.ts';
import type { Trust } from './records.ts';
import type { ExtensionServices } from './services.ts';

/** What an extension needs of the folder it was loaded for. */
export interface Surroundings {
  readonly world: ExtensionServices;
  readonly cwd: string;
  /** The processes of the folder's extensions. */
  readonly shared: SharedHosts;
  liveAgent(place: SessionScope): AgentSession | undefined;
  readonly knownModels: readonly Readonly<Record<string, unknown>>[];
  readonly canAsk: boolean;
  readonly screen: ComponentScreen | undefined;
  /** What extensions say in the status line. */
  readonly statuses: Map<string, string>;
  /** The calls that tools of the folder's extensions make. */
  readonly calls: NestedCalls;
  /** The MCP servers that extensions of the folder registered, apart from those of `extension`. */
  mcpServersBeside(extension: Extension): readonly Readonly<Record<string, unknown>>[];
  /** What it registered when it was loaded is known; called once, before the first `changed`. */
  learned(extension: Extension): void;
  /** Told after every change of what it registered. */
  changed(extension: Extension): Promise<void>;
  /** The sessions that an extension has to be told about when it was started anew. */
  places(): readonly SessionScope[];
  tellOthers(from: Extension, channel: string, data: unknown): void;
  commandNames(place: SessionScope): readonly Readonly<Record<string, unknown>>[];
  reload(): void;
  isOpening(place: SessionScope): boolean;
  noteSent(text: string): void;
  toolsDecided(session: string): void;
  /** Tells every extension of the folder, without waiting. */
  tellAll(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void;
  /** The session may have another name now. */
  noteName(session: string): void;
}

/** The next one holds more than these, so they may be left out when an extension is slow. */
const UPDATES: readonly string[] = ['message_update', 'tool_execution_update'];
const SETTLE_MS = 2_000;

interface RunningCommand {
  /** Lets the prompt that it came with end. */
  letGo: () => void;
  readonly session: string | undefined;
  prompt: CommandPrompt | undefined;
}

/** An extension. */
export class Extension implements Asker {
  readonly module: FoundModule;
  readonly trust: Trust;
  readonly permissions: Permissions;
  shape: ExtensionShape = EMPTY_SHAPE;
  /** Things that it wanted and that are not there. */
  readonly refusals: string[] = [];
  readonly components: ExtensionComponents = new ExtensionComponents(this);
  readonly #around: Surroundings;
  readonly #link: Link;
  readonly #patience: StallTimer;
  readonly #told = new Set<string>();
  readonly #lines = new EventLines();
  /** Commands that run now. */
  readonly #commands = new Set<RunningCommand>();
  #isLoaded = false;
  /** What it registers is only known from the last time, and no process runs for it yet. */
  #isAssumed = false;
  #hasLearned = false;
  #beginning: Promise<void> | undefined;

  constructor(
    module: FoundModule,
    options: { readonly trust: Trust; readonly permissions: Permissions },
    around: Surroundings,
  ) {
    const { world, cwd } = around;
    const { home, config, data, state, cache } = world.folders;
    this.module = module;
    this.trust = options.trust;
    this.permissions = options.permissions;
    this.#around = around;
    this.#patience = new StallTimer(world.config.handlerSeconds * 1_000);
    const { kind, name, file } = module;
    this.#link = connect({
      shared: around.shared,
      level: module.level,
      start: { kind, name, file, cwd, home, trusted: this.isTrusted },
      trust: options.trust,
      permissions: options.permissions,
      folders: codeFolders(file, { cwd, home }),
      own: [config, data, state, cache],
      answers: this.#caused(createAnswers(this)),
      hosts: () => world.hosts(),
      ended: () => this.components.end(true),
      restarted: (request) => this.#restarted(request),
      stopped: (error, isCertain) => this.#stopped(error, isCertain),
    });
  }

  get name(): string {
    return this.module.name;
  }

  get world(): ExtensionServices {
    return this.#around.world;
  }

  get isTrusted(): boolean {
    return this.trust !== 'isolated';
  }

  get knownModels(): Asker['knownModels'] {
    return this.#around.knownModels;
  }

  get canAsk(): boolean {
    return this.#around.canAsk;
  }

  get screen(): ComponentScreen | undefined {
    return this.#around.screen;
  }

  get calls(): NestedCalls {
    return this.#around.calls;
  }

  mcpServersBeside(): ReturnType<Asker['mcpServersBeside']> {
    return this.#around.mcpServersBeside(this);
  }

  get statuses(): Map<string, string> {
    return this.#around.statuses;
  }

  /** Whether a process runs for it, and how it is doing. */
  get status(): ReturnType<Link['status']> {
    return this.#link.status();
  }

  /** Whether its module was imported. */
  get isStarted(): boolean {
    return !this.#isAssumed;
  }

  /** Takes what it registered last time for what it registers: its module is imported when something is asked of it. */
  async assume(shape: ExtensionShape): Promise<void> {
    this.#isAssumed = true;
    this.#isLoaded = true;
    this.shape = { ...EMPTY_SHAPE, ...shape };
    await this.#around.changed(this);
  }

  /** Imports its module if that has not been done. */
  async begin(): Promise<void> {
    if (!this.#isAssumed) return;
    try {
      await (this.#beginning ??= this.load());
      this.#isAssumed = false;
    } finally {
      this.#beginning = undefined;
    }
  }

  /** Imports its module. */
  async load(): Promise<void> {
    try {
      await this.#link.start();
      this.#isLoaded = true;
    } catch (fault) {
      const { name: extension, file } = this.module;
      const missing = /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(reasonOf(fault))?.[1];
      const [folder = dirname(file)] = codeFolders(file, { cwd: this.#around.cwd, home: this.world.folders.home });
      if (missing !== undefined) throw errors.create('PI_COMPAT_DEPENDENCY', { extension, missing, folder }, fault);
      throw errors.create('PI_COMPAT_LOAD_FAILED', { extension, file, reason: reasonOf(fault) }, fault);
    }
  }

  /** Ends it; what waits in its queue is told first, within reason. */
  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, SETTLE_MS)));
    await Promise.race([this.settle(), late]);
    clearTimeout(timer);
    this.components.end(false);
    await this.#link.stop();
  }

  /** Whether it wants to hear of this event. */
  hears(event: string): boolean {
    // What never ran has nothing to bring to its end.
    if (event === 'session_shutdown' && this.#isAssumed) return false;
    return this.shape.events.includes(event);
  }

  /** Tells it an event when it has heard those before, and waits for the answer. Throws when it fails, is gone, or takes too long. */
  ask(
    name: string,
    event: Readonly<Record<string, unknown>>,
    place: SessionScope,
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#lines.take(place.session ?? '', (turn) => this.#ask(turn, name, event, place, signal));
  }

  async #ask(
    turn: number,
    name: string,
    event: Readonly<Record<string, unknown>>,
    place: SessionScope,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const { name: extension, file } = this.module;
    const seconds = this.world.config.handlerSeconds;
    try {
      await this.begin(); // its own time does not count
      const answer = this.request('event', [name, event, { ...place, turn }, signal]);
      answer.catch(() => undefined); // it may fail after nobody waits for it any more
      return (
        (await this.#patience.wait(answer, () =>
          errors.create('PI_COMPAT_DEADLINE', { extension, file, event: name, seconds }),
        )) ?? undefined
      );
    } catch (fault) {
      if (fault instanceof TenonError && fault.owner === 'pi-compat') throw fault;
      throw errors.create('PI_COMPAT_HANDLER_FAILED', { extension, file, event: name, reason: reasonOf(fault) }, fault);
    }
  }

  /** The same, where a failure is reported and otherwise without consequence. */
  async askOrReport(...args: Parameters<Extension['ask']>): Promise<Readonly<Record<string, unknown>>> {
    try {
      const answer = await this.ask(...args);
      return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
    } catch (fault) {
      this.#reportOnce(fault as TenonError);
      return {};
    }
  }

  /** Tells it an event when it has heard those before. */
  tell(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void {
    this.#lines.note(place.session ?? '', UPDATES.includes(name), async (turn) => {
      if (!this.hears(name)) return;
      await this.#ask(turn, name, event, place).catch((fault: TenonError) => this.#reportOnce(fault));
    });
  }

  /** Resolves when everything that was told has been heard. */
  settle(): Promise<void> {
    return this.#lines.settled();
  }

  /** What the extension has not heard yet of a session no longer holds up what comes next. */
  leaveBehind(session: string): void {
    this.#lines.leaveBehind(session);
  }

  /** Runs one of its tools, after the events that led to the call. */
  async callTool(place: SessionScope, args: readonly unknown[]): Promise<unknown> {
    await this.#lines.reached(place.session ?? '');
    return this.request('tool', [...args, place]);
  }

  /** Asks which model one of its virtual models stands for. */
  async route(key: string, question: RouteQuestion, place: SessionScope, signal: AbortSignal): Promise<RouteAnswer> {
    const answer = this.request('route', [key, question, place, signal]) as Promise<RouteAnswer>;
    answer.catch(() => undefined); // it may fail after nobody waits for it any more
    const about = { extension: this.name, event: `route() of ${key}`, seconds: this.world.config.handlerSeconds };
    return this.#patience.wait(answer, () => errors.create('PI_COMPAT_DEADLINE', about)) as Promise<RouteAnswer>;
  }

  /** What a handler asks for may cause events; those must not wait for the handler. */
  #caused(answers: Answers): Answers {
    const wrap = (methods: Answers['methods']): Answers['methods'] =>
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name,
          (...args: never[]) => this.#lines.causedBy(turnIn(args[0]), () => method(...args)),
        ]),
      );
    return { questions: wrap(answers.questions), methods: wrap(answers.methods) };
  }

  async request(method: string, args: readonly unknown[]): Promise<unknown> {
    await this.begin();
    return this.#link.request(method, args);
  }

  sendNow(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#link.requestNow(method, args);
  }

  async notify(message: string): Promise<void> {
    (await this.world.ui()).notify(message, 'warning');
  }

  async confirm(title: string, message: string): Promise<boolean> {
    return (await this.world.ui()).confirm(title, message);
  }

  /**
   * Runs one of its commands, and gives the prompt that it comes to. Resolves early when the command waits for the agent:
   * then it goes on by itself.
   */
  async runCommand(name: string, words: string, place: SessionScope): Promise<CommandPrompt | undefined> {
    const running: RunningCommand = { letGo: () => undefined, session: place.session, prompt: undefined };
    const early = new Promise<void>((resolve) => (running.letGo = resolve));
    this.#commands.add(running);
    const done = this.#lines
      .reached(place.session ?? '')
      .then(() => this.request('command', [name, words, place]))
      .finally(() => this.#commands.delete(running));
    let isEarly = false;
    done.catch((fault: unknown) => isEarly && this.fault(`the command /${name}`, reasonOf(fault)));
    const letGo = early.then(() => {
      isEarly = true;
      this.#commands.delete(running);
    });
    await Promise.race([done, letGo]);
    return running.prompt;
  }

  giveWay(): void {
    for (const { letGo } of this.#commands) letGo();
  }

  isOpening(place: SessionScope): boolean {
    return this.#around.isOpening(place);
  }

  becomePrompt(place: SessionScope, prompt: CommandPrompt): boolean {
    const running = [...this.#commands].find(({ session }) => session === place.session);
    if (!running || running.prompt || !this.isOpening(place)) return false;
    running.prompt = prompt;
    return true;
  }

  liveAgent(place: SessionScope): AgentSession | undefined {
    return this.#around.liveAgent(place);
  }

  async setShape(shape: ExtensionShape): Promise<void> {
    this.shape = { ...EMPTY_SHAPE, ...shape };
    if (!this.#hasLearned) this.#around.learned(this);
    this.#hasLearned = true;
    this.#isAssumed = false;
    await this.#around.changed(this);
  }

  tellOthers(channel: string, data: unknown): void {
    this.#around.tellOthers(this, channel, data);
  }

  whileAsking<T>(work: () => Promise<T>): Promise<T> {
    return this.#patience.whileAsking(work);
  }

  commandNames(place: SessionScope): ReturnType<Asker['commandNames']> {
    return this.#around.commandNames(place);
  }

  reload(): void {
    this.#around.reload();
  }

  noteSent(text: string): void {
    this.#around.noteSent(text);
  }

  toolsDecided(session: string): void {
    this.#around.toolsDecided(session);
  }

  tellAll(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void {
    this.#around.tellAll(name, event, place);
  }

  noteName(session: string): void {
    this.#around.noteName(session);
  }

  fault(where: string, message: string): void {
    const kept = this.isTrusted ? undefined : keptFrom(message);
    const about = { extension: this.name, file: this.module.file, event: where };
    if (kept) {
      this.#reportOnce(errors.create('PI_COMPAT_CONFINED', { ...about, ...kept }));
      return;
    }
    this.#reportOnce(errors.create('PI_COMPAT_HANDLER_FAILED', { ...about, reason: message }));
  }

  refused(what: string, instead: string): void {
    if (!this.refusals.includes(what)) this.refusals.push(what);
    this.world.log.info(errors.create('PI_COMPAT_UNSUPPORTED', { extension: this.name, what, instead }).message, {
      instead,
    });
  }

  /** It knows nothing of the sessions any more. */
  async #restarted(request: Link['request']): Promise<void> {
    const { handlerSeconds: seconds } = this.world.config;
    for (const place of this.hears('session_start') ? this.#around.places() : []) {
      const notification = request('event', ['session_start', { reason: 'reload' }, place]);
      const about = { extension: this.name, event: 'session_start', seconds };
      await this.#patience
        .wait(notification, () => errors.create('PI_COMPAT_DEADLINE', about))
        .catch((fault: unknown) => this.fault('session_start', reasonOf(fault)));
    }
  }

  #stopped(error: TenonError, isCertain: boolean): void {
    if (!this.#isLoaded) return; // whoever loads it is told
    const cause = String(error.details['reason'] ?? error.message);
    const doubt = ' (this extension or another one in the same process; each has a process of its own from now on)';
    const reason = isCertain ? cause : `${cause}${doubt}`;
    this.#report(errors.create('PI_COMPAT_STOPPED', { extension: this.name, file: this.module.file, reason }, error));
  }

  /** The same complaint about the same thing is no news. */
  #reportOnce(error: TenonError): void {
    const { event, reason } = error.details;
    const key = `${error.code} ${String(event)} ${String(reason)}`;
    if (this.#told.has(key)) return this.world.log.warn(error.message);
    this.#told.add(key);
    this.#report(error);
  }

  #report(error: TenonError): void {
    this.world.report(error, 'warning');
    this.world.ui().then(
      // Where nobody can answer, reports are shown at the end.
      (ui) => ui.canAsk() && ui.notify(inSentences(error.message, error.next), 'warning'),
      () => undefined, // without an interface the report is all there is
    );
  }
}

/** The turn that a call belongs to: it comes with the place that the call names first. */
function turnIn(place: unknown): number | undefined {
  const turn = typeof place === 'object' && place !== null ? (place as SessionScope).turn : undefined;
  return typeof turn === 'number' ? turn : undefined;
}

/** What the sandbox kept an extension from, and the flag that allows it. */
function keptFrom(message: string): { reason: string; flag: string } | undefined {
  const program =
    /may not run "([^"]+)"/.exec(message) ?? /\bspawn(?:Sync)? ?(\S*) ?(?:EPERM|EACCES|ENOSYS|ENOENT)/.exec(message);
  if (program)
    return { reason: `it may not run ${program[1] || 'programs'}`, flag: `--exec ${program[1] || 'PROGRAM'}` };
  const write = /\b(?:EROFS|EACCES|EPERM)\b.*'(\/[^']+)'/.exec(message);
  if (write) return { reason: `it may not change ${write[1]}`, flag: `--write ${write[1]}` };
  const net = /may not connect to (\S+?):? /.exec(message);
  return net ? { reason: `it may not connect to ${net[1]}`, flag: `--net ${net[1]}` } : undefined;
}

/** What went wrong, without the words of the machinery around it. */
function reasonOf(fault: unknown): string {
  if (fault instanceof TenonError && fault.owner === 'pack-host')
    return String(fault.details['reason'] ?? fault.message);
  // Loaders add where they looked, which helps nobody here.
  return messageOf(fault).split('\nRequire stack:')[0] ?? '';
}
