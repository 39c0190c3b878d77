/** One run of the screen: puts its parts together and lets keys and events do what they are for. */
import { setTimeout } from 'node:timers/promises';
import { type AgentSession, faultText } from '@tenon/agent/api';
import { createHighlighter, loadMarkdown, type MarkdownModule, type MarkdownStyle } from '@tenon/components';
import { kernelView } from '@tenon/host';
import { type Disposable, messageOf, type PluginContext } from '@tenon/kernel';
import type { ImageContent } from '@tenon/models/api';
import type { ModeCall } from '@tenon/modes/api';
import type { Accelerators } from '@tenon/native';
import type { FactFinder, Screen, TerminalInput } from '@tenon/screen';
import { FullScreen, link } from '@tenon/screen';
import { renderers, statusItems } from '@tenon/screen-slots/api';
import { slashCommands } from '@tenon/slash-commands/api';
import { tools } from '@tenon/tools/api';
import { showEvent } from './agent-events.ts';
import { App } from './app.ts';
import { generalRenderer, prepareDiffs } from './cards/index.ts';
import { ScreenCommands } from './commands.ts';
import { deferred } from './deferred.ts';
import { ExtensionScreen } from './component-screen.ts';
import { ExtensionLink } from './extension-link.ts';
import { extensionScreenParts } from './extension-parts.ts';
import type { InteractiveModeSettings } from './generated/settings.ts';
import { KeyRouter } from './keys/key-router.ts';
import { Keymap } from './keys/keymap.ts';
import { Leaving } from './leaving.ts';
import { makePrompt, PLACEHOLDER } from './make-prompt.ts';
import { PanelList } from './panel-list.ts';
import type { Prompt } from './prompt/prompt.ts';
import { RendererTable } from './renderer-table.ts';
import { screenActions } from './screen-actions.ts';
import { screenCommands } from './screen-commands.ts';
import { type Delivery, Sending } from './sending.ts';
import { Signals } from './signals.ts';
import type { StatusWatch } from './status/status-watch.ts';
import { Surface } from './surface.ts';
import { TerminalDesk } from './terminal/attach.ts';
import type { ThemeChoice } from './theme-choice.ts';
import { welcomeRows } from './welcome.ts';
import { type AnswerBlock, newAnswerBlock } from './transcript/answer-blocks.ts';
import { StillBlock } from './transcript/block.ts';
import { commandRows } from './transcript/message-rows.ts';
import { resultImageRows } from './transcript/result-images.ts';

/** How long the first frame stands before the agent is loaded. */
const TYPED_AHEAD_MS = 200;

/** What a run begins with. */
export interface RunParts {
  readonly call: ModeCall;
  readonly ctx: PluginContext<InteractiveModeSettings>;
  readonly text: Accelerators['text'];
  /** Facts of the status line. */
  readonly watch: StatusWatch;
  readonly themes: ThemeChoice;
  readonly facts: FactFinder;
  /** Writes to the terminal between frames. */
  write(sequence: string): void;
  /** For screen readers: nothing moves, nothing is framed. */
  readonly isPlain: boolean;
  /** Nothing that was written is written over: what screen readers can follow. */
  readonly onlyGrows: boolean;
  /** The whole terminal is used, and scrolled by the screen itself. */
  readonly isFullscreen: boolean;
}

/** The screen from its first frame to its last. */
export class ScreenRun {
  readonly parts: RunParts;
  readonly call: ModeCall;
  readonly ctx: RunParts['ctx'];
  readonly themes: ThemeChoice;
  readonly keymap = new Keymap();
  readonly screen: Screen;
  readonly app: App;
  readonly prompt: Prompt;
  readonly surface: Surface;
  readonly commands: ScreenCommands;
  readonly leaving: Leaving;
  readonly renderers: RendererTable;
  readonly signals: Signals;
  readonly extensions: ExtensionScreen;
  readonly links: ExtensionLink;
  readonly panels: PanelList;
  readonly terminals: TerminalDesk;
  readonly markdownStyle: MarkdownStyle;
  readonly #sending: Sending;
  readonly #keys: KeyRouter;
  readonly #agent = deferred<AgentSession>();
  readonly #isWanted = deferred<void>();
  readonly #end = deferred<void>();
  #hasEnded = false;
  #markdown: MarkdownModule | undefined;
  #handedOver = 0;
  /** Sessions that a title was looked for. */
  readonly #titled = new Set<string>();
  /** From the first slash command that is not the screen's own. */
  #suggested: Promise<Disposable | undefined> | undefined;
  #userCommand: { readonly command: string; readonly stop: () => void } | undefined;

  constructor(parts: RunParts, newScreen: (onInput: (input: TerminalInput) => boolean) => Screen) {
    const { call, ctx, text, themes, facts } = parts;
    const { config } = ctx;
    [this.parts, this.call, this.ctx, this.themes] = [parts, call, ctx, themes];
    this.keymap.setUserKeys(config.keys);
    this.screen = newScreen((input) => this.#keys.onInput(input));
    this.links = new ExtensionLink(call.cwd, () => this.app.isExpanded);
    this.renderers = new RendererTable(ctx.read(renderers), {
      tools: ctx.read(tools),
      general: generalRenderer,
      log: ctx.log,
    });
    this.markdownStyle = {
      get theme() {
        return themes.current;
      },
      text,
      highlighter: createHighlighter(),
      ...(facts.facts.links && { link }),
    };
    this.app = new App({
      ctx,
      text,
      call,
      screen: this.screen,
      keymap: this.keymap,
      theme: () => themes.current,
      isPlain: parts.isPlain,
      onlyGrows: parts.onlyGrows,
      scrollsBack: parts.isFullscreen,
      transcript: {
        renderer: (tool) => this.renderers.for(tool),
        unfoldKey: (isFinished) => {
          const action = isFinished ? 'app.transcript' : 'app.expand';
          return this.keymap.keysOf(action)[0] ?? '/transcript';
        },
        newAnswer: () => this.newAnswer(() => this.app.transcript.settle()),
        thoughts: config.thoughts,
        drawMessage: (message, width) => this.links.drawMessage(message, width),
        drawCall: (callId, ended, width) =>
          this.links.drawCall(callId, ended, width) ?? this.renderers.drawCall(ended, { ...this.app.style, width }),
        drawThought: (thought, width) => this.links.drawThought(thought, width),
        ...(config.images &&
          !parts.isPlain && { images: (result) => resultImageRows(result, facts.facts, this.app.columns) }),
      },
    });
    this.signals = new Signals({
      write: (sequence) => parts.write(sequence),
      facts: () => facts.facts,
      notify: config.notify,
      notifyAfterMs: config.notifyAfterSeconds * 1000,
      cwd: call.cwd,
    });
    this.surface = new Surface({
      app: this.app,
      items: ctx.read(statusItems),
      log: ctx.log,
      shownItems: config.status,
      agent: () => this.app.seated,
    });
    this.extensions = new ExtensionScreen(extensionScreenParts(this));
    this.app.onResize = () => this.extensions.tellChange();
    this.app.onQuestion = (isAsking) => this.extensions.setAsking(isAsking);
    this.commands = new ScreenCommands(screenCommands(this), () => this.ready());
    this.#sending = new Sending({
      call,
      agent: () => this.ready(),
      screenCommand: (name, args) => this.#runCommand(name, args),
      notify: (line, kind) => this.app.notify(line, kind),
      giveBack: (draft, images) => this.prompt.draft === '' && this.prompt.restore(draft, images),
      onUserCommand: (running) => this.#onUserCommand(running),
      showUnkept: (command, { output, cancelled, exitCode }) => {
        const run = { command, output, cancelled, ...(exitCode !== undefined && { exitCode }) };
        this.app.transcript.add(new StillBlock((style) => commandRows(run, '$$', style)));
      },
    });
    this.prompt = makePrompt(this, () => parts.watch.isPlanning());
    this.leaving = new Leaving({
      draft: () => this.prompt.draft,
      clearDraft: () => this.#clearDraft(),
      isRunning: () => this.isRunning,
      stop: () => this.stop(),
      leave: () => this.leave(),
      rewind: () => void this.commands.run('rewind', ''),
      hint: (line) => this.surface.hint(line),
    });
    this.#keys = new KeyRouter(this, screenActions(this));
    this.panels = new PanelList(this);
    this.terminals = new TerminalDesk(this.app);
    this.app.setPrompt(this.prompt, (draft) => this.prompt.setDraft(draft));
    // Behind a caret it would be written over.
    if (parts.onlyGrows) this.app.print([PLACEHOLDER]);
    if (parts.isPlain) return;
    this.app.above.push(this.surface.working, ...this.panels.components, this.surface.widgets);
    this.app.below.push(this.surface.status);
  }

  /** A block for an answer; there is none before `work` has loaded what it needs. */
  newAnswer(onReady?: () => void): AnswerBlock {
    if (!this.#markdown) throw new Error('Markdown is not loaded yet');
    return newAnswerBlock(this.#markdown, this.markdownStyle, onReady);
  }

  get isRunning(): boolean {
    return this.#userCommand !== undefined || this.app.seated?.state.isStreaming === true;
  }

  /** Stops the command of the user, or the agent. */
  stop(): void {
    if (this.#userCommand) return this.#userCommand.stop();
    // What waits was meant for this run: it comes back into the editor instead of starting the next one.
    while ((this.app.seated?.waiting().length ?? 0) > 0) this.takeQueued();
    void this.app.seated?.abort();
  }

  /** Takes the last message that waits back into the editor. */
  takeQueued(): void {
    const message = this.app.seated?.takeBack();
    if (!message) return;
    const { draft } = this.prompt;
    this.app.setDraft(draft.trim() === '' ? message.text : `${message.text}\n${draft}`);
    for (const image of message.images) this.prompt.attach(image);
  }

  /** Uses a theme for this run. */
  async useTheme(name: string): Promise<void> {
    const problem = await this.themes.use(name);
    if (problem !== undefined) this.app.notify(problem, 'warning');
    this.extensions.tellChange();
    this.app.requestFrame();
  }

  /** Keeps a theme for coming runs, too. */
  async saveTheme(name: string): Promise<void> {
    await (await this.ctx.find(kernelView)).settings.set('interactive-mode.theme', name);
  }

  /** Lets somebody else have the terminal until the work is done. */
  async handOver<T>(work: () => Promise<T>): Promise<T> {
    this.#handedOver += 1;
    try {
      return await this.screen.handOver(work);
    } finally {
      this.#handedOver -= 1;
    }
  }

  /** Whether somebody else has the terminal. */
  get isHandedOver(): boolean {
    return this.#handedOver > 0;
  }

  /** Whether a whole line is the editor's: nothing is asked, and nothing has the whole screen. */
  get takesLines(): boolean {
    return !this.app.dialog && !this.app.hasFullscreen;
  }

  /** Ends the run. */
  leave(): void {
    this.#hasEnded = true;
    this.#end.resolve();
  }

  /** Sends what was typed. */
  async send(text: string, images: readonly ImageContent[], delivery: Delivery): Promise<void> {
    if (text.trim() !== '') this.prompt.editor.addHistory([text]);
    // Who sends something wants to see what comes of it, wherever they have scrolled.
    if (this.screen instanceof FullScreen) this.screen.scrollTo(Infinity);
    await this.#sending.send(text, images, delivery);
    this.surface.refreshStatus();
  }

  /** The agent, as soon as there is one; who needs it does not wait for a pause. */
  ready(): Promise<AgentSession> {
    this.#isWanted.resolve();
    return this.#agent.promise;
  }

  /** Works until the user leaves. */
  async work(): Promise<void> {
    // Loading the agent keeps the process busy: keys that were typed ahead are shown before.
    const pause = this.call.inputs.length > 0 ? undefined : setTimeout(TYPED_AHEAD_MS, undefined, { ref: false });
    await Promise.race([pause, this.#isWanted.promise, this.#end.promise]);
    if (this.#hasEnded) return;
    const [{ agent, modelFallbackMessage, foundModel }, markdown] = await Promise.all([
      this.call.open((line) => this.app.notify(line.trim(), 'warning')),
      loadMarkdown(),
    ]);
    this.#markdown = markdown;
    this.app.seated = agent;
    agent.subscribe((event) => showEvent(this, event));
    if (agent.session.leafId !== null) {
      // Rows that are shown stay as they are: cards must look right the first time.
      await prepareDiffs();
      this.app.showSession();
    }
    if (modelFallbackMessage !== undefined) this.app.notify(modelFallbackMessage, 'warning');
    else if (foundModel?.by === 'last-resort') this.app.print(welcomeRows(this.app));
    // The sentence is for the command line; on the screen there is a nearer way.
    else if (foundModel !== undefined)
      this.app.notify(foundModel.text.replace('Choose with --model.', '/model shows others.'));
    this.signals.setTitle('ready', agent.session.header.title);
    void import('./quiet-loading.ts')
      .then(({ loadQuietly }) => loadQuietly(this))
      .catch((fault: unknown) => this.app.notify(faultText(fault), 'warning'));
    this.#agent.resolve(agent);
    void this.#begin();
    await this.#end.promise;
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    const { draft } = this.prompt;
    // Nothing that was typed is lost: the up arrow brings it back in the next session.
    if (draft.trim() !== '') this.call.remember(draft);
    this.extensions.close();
    this.surface.close();
    this.panels.close();
    await (await this.#suggested)?.dispose();
    await this.app.seated?.dispose();
  }

  /** Presses a key for somebody else: an editor of an extension that leaves it to the screen. */
  press(data: string): void {
    this.#keys.press(data);
  }

  /** The session that the user chooses, then the prompts of the command line. */
  async #begin(): Promise<void> {
    if (this.call.choosesSession === true)
      await this.commands.run('resume', '').catch((fault: unknown) => this.app.notify(faultText(fault), 'error'));
    await this.#sendInputs();
  }

  /** The prompts of the command line, one after the other. */
  async #sendInputs(): Promise<void> {
    for (const input of this.call.inputs) {
      try {
        await this.#sending.prompt(input, [], 'followUp');
      } catch (fault) {
        this.app.notify(faultText(fault), 'error');
      }
    }
  }

  /** Looks up what the status line and the panels show of other services. */
  refreshStatus(): void {
    const { cwd, session } = this.app.agent;
    void this.parts.watch
      .refresh(cwd, session.id)
      .then(() => this.panels.refresh())
      .then(() => this.surface.askItems())
      .then(() => this.surface.refreshStatus());
  }

  /** Gives the session a title once it is known what it is about; each session is tried once. */
  nameSession(): void {
    const { agent } = this.app;
    const { id, header } = agent.session;
    if (!this.ctx.config.titles || header.title !== undefined || this.#titled.has(id)) return;
    this.#titled.add(id);
    const named = async () => {
      const [{ giveTitle }, { modelRegistry }] = await Promise.all([
        import('./session-title.ts'),
        import('@tenon/models/api'),
      ]);
      const title = await giveTitle({ agent, models: await this.ctx.find(modelRegistry) });
      if (title === undefined || agent.session.id !== id) return;
      this.signals.setTitle(this.isRunning ? 'working' : 'ready', title);
      this.surface.refreshStatus();
    };
    // The first prompt stands for a title that could not be had, so the user need not be told.
    named().catch((fault: unknown) => this.ctx.log.warn(`the session got no title: ${messageOf(fault)}`, { fault }));
  }

  /** What is not the screen's own goes to the commands of every mode, which then suggest those of the screen, too. */
  async #runCommand(name: string, args: string): Promise<boolean> {
    if (await this.commands.run(name, args)) return true;
    const names = this.commands.list().map((command) => command.name);
    this.#suggested ??= this.ctx.findOptional(slashCommands).then((service) => service?.suggestAlso(names));
    await this.#suggested;
    return false;
  }

  #clearDraft(): void {
    const { text } = this.prompt.take();
    this.prompt.editor.addHistory([text]);
    this.app.requestFrame();
  }

  #onUserCommand(running: { readonly command: string; readonly stop: () => void } | undefined): void {
    this.#userCommand = running;
    this.surface.setWorking(running && { label: running.command });
  }
}
