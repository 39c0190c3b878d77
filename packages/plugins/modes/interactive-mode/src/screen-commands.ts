/** The slash commands of the screen. Lists and pagers are imported when they are first wanted. */
import { type AskOptions, commandLine } from '@tenon/command-line/api';
import { modelRegistry } from '@tenon/models/api';
import type { ScreenCommand } from './commands.ts';
import type { ScreenRun } from './screen-run.ts';
import { lastAnswer } from './last-answer.ts';

/** A command for every list, and what else only a screen can do. */
export function screenCommands(run: ScreenRun): Readonly<Record<string, ScreenCommand>> {
  const leave = { summary: 'Leave', run: () => run.leave() };
  const list = (summary: string, open: () => Promise<void>): ScreenCommand => ({ summary, onlyAlone: true, run: open });
  const { app } = run;
  return {
    quit: leave,
    exit: leave,
    new: { summary: 'Begin a new session', run: () => newSession(run) },
    clear: { summary: 'Begin a new session', run: () => newSession(run) },
    resume: list('Open another session', async () => (await import('./pickers/sessions.ts')).openSessions(app)),
    tree: list('Show the tree of the session, and go to a place in it', async () =>
      (await import('./pickers/tree.ts')).openTree(app),
    ),
    rewind: list('Go back to an earlier message', async () => (await import('./pickers/rewind.ts')).openRewind(app)),
    model: list('Choose a model', async () => (await import('./pickers/model.ts')).openModel(app)),
    thinking: list('Choose how hard the model thinks', async () =>
      (await import('./pickers/thinking.ts')).openThinking(app),
    ),
    theme: {
      summary: 'Choose the colours',
      arguments: '[NAME]',
      run: async (name) => {
        const apply = (wanted: string) => void run.useTheme(wanted);
        if (name !== '') await run.useTheme(name);
        else
          await (
            await import('./pickers/theme.ts')
          ).openTheme(app, {
            names: run.themes.names(),
            current: run.themes.wanted,
            apply,
            save: (chosen) => run.saveTheme(chosen),
          });
      },
    },
    login: {
      summary: 'Log in to a provider of models, or store a key',
      arguments: '[PROVIDER]',
      run: (provider) => login(run, provider),
    },
    settings: list('Look at settings and change them', async () =>
      (await import('./pickers/settings.ts')).openSettings(app),
    ),
    mcp: list('Look at MCP servers', async () => (await import('./pickers/mcp.ts')).openMcp(app)),
    extensions: list('Look at extensions and packs', async () =>
      (await import('./pickers/extensions.ts')).openExtensions(app),
    ),
    marketplace: list('Find plugins and install them', async () =>
      (await import('./pickers/marketplace.ts')).openMarketplace(app),
    ),
    agents: list('Look at subagents', async () => (await import('./pickers/agents.ts')).openAgents(app)),
    jobs: list('Show background jobs', async () => (await import('./pickers/jobs.ts')).openJobs(app)),
    held: list('Answer questions of other sessions', async () => {
      await (await import('./dialogs/held.ts')).openHeld(app);
      await run.panels.refresh();
    }),
    keys: list('Show all keys', () => openHelp(run, 'keys')),
    help: list('Show all slash commands and keys', () => openHelp(run, 'commands')),
    transcript: {
      summary: 'Read and search the whole conversation',
      run: async () => (await import('./transcript/pager.ts')).openTranscript(run),
    },
    terminal: {
      summary: 'Show the program that waits in a terminal of its own',
      run: () => {
        if (run.terminals.count === 0) app.notify('No program has a terminal at the moment.');
        else run.terminals.show();
      },
    },
    copy: { summary: 'Copy the last answer, as the model wrote it', run: () => copyAnswer(run) },
    raw: { summary: 'Print the last answer as the model wrote it, for copying by hand', run: () => printRaw(run) },
    redraw: { summary: 'Clear the terminal and show the conversation again', run: () => redraw(run) },
    vim: {
      summary: 'Switch between plain and vi keys in the editor',
      run: () => {
        const mode = run.prompt.toggleVi();
        app.notify(
          mode === 'vi'
            ? 'The editor has the keys of vi: Esc for commands, i to write. /vim switches back.'
            : 'The editor has its plain keys again.',
        );
      },
    },
    name: {
      summary: 'Name the session',
      arguments: 'TITLE',
      run: async (title) => {
        if (title === '') app.notify('Write the name behind it: /name login page', 'warning');
        else {
          await app.agent.session.setTitle(title, 'user');
          run.signals.setTitle(run.isRunning ? 'working' : 'ready', title);
        }
      },
    },
  };
}

async function openHelp({ app, keymap, commands }: ScreenRun, first: 'keys' | 'commands'): Promise<void> {
  const { openKeys } = await import('./pickers/keys.ts');
  await openKeys(app, { actions: keymap.list(), commands: commands.list(), first });
}

/** The terminal is handed over: keys are typed unseen, and a browser may be opened. */
async function login(run: ScreenRun, named: string): Promise<void> {
  const { app, ctx, call } = run;
  const provider = named === '' ? await (await import('./pickers/provider.ts')).chooseProvider(app) : named;
  if (provider === undefined) return;
  const line = await ctx.find(commandLine);
  const words = ['auth', 'login', '--', provider];
  const { askLine } = await import('./prompt/ask-line.ts');
  let hasAnswered = true;
  const ask = async (question: string, options?: AskOptions) => {
    const answer = await askLine(question, call.signal, options);
    hasAnswered = answer !== '';
    return answer;
  };
  const io = { ...call.io, ask };
  const code = await run
    .handOver(() => line.run(words, { io, cwd: call.cwd, signal: call.signal, help: false, byPerson: true }))
    .catch((fault: unknown) => {
      // Who gives no key has changed their mind, and needs no complaint.
      if (hasAnswered) throw fault;
      return undefined;
    });
  if (code === 0) app.notify(`Logged in to ${provider}${await modelAfterLogin(run)}`);
  else app.notify('Nothing was stored.', 'warning');
}

/** Who logs in wants a model to answer: where only rules did so far, the one takes over that a new session would begin with. */
async function modelAfterLogin({ app, ctx }: ScreenRun): Promise<string> {
  const others = '. /model shows its models.';
  if (!app.agent.state.model.isRules) return others;
  const { model, thinking } = await (await ctx.find(modelRegistry)).forRole('default');
  if (model.isRules) return others;
  await app.agent.setModel(model, thinking);
  return `: ${model.provider}/${model.id} answers from now on. /model shows others.`;
}

async function newSession({ app }: ScreenRun): Promise<void> {
  const { cancelled } = await app.agent.newSession();
  if (cancelled) app.notify('A plugin called it off; the session stays.', 'warning');
}

function copyAnswer(run: ScreenRun): void {
  const text = lastAnswer(run.app.agent.session);
  if (text === undefined) run.app.notify('There is no answer yet.', 'warning');
  else if (!run.signals.copy(text))
    run.app.notify('The answer is too long for the clipboard of this terminal; /raw prints it.', 'warning');
  else {
    run.app.notify(
      `Copied ${text.length.toLocaleString('en-US')} characters. If your terminal does not allow that, /raw prints them.`,
    );
  }
}

/** Written to the terminal as they are, so that it breaks the lines itself and copying gives them back whole. */
async function printRaw({ app, screen }: ScreenRun): Promise<void> {
  const text = lastAnswer(app.agent.session);
  if (text === undefined) {
    app.notify('There is no answer yet.', 'warning');
    return;
  }
  await screen.handOver(
    () => new Promise<void>((done) => process.stdout.write(`${app.text.sanitize(text)}\n`, () => done())),
  );
}

async function redraw({ app, screen }: ScreenRun): Promise<void> {
  screen.redraw([]);
  app.showSession();
}
