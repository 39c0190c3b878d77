/** Channels over real files and real connections; what asks is played. */
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { separateFolders } from '@tenon/test-kit/kernel';
import { silentLogger } from '@tenon/kernel';
import type { AuthStore } from '@tenon/models/api';
import type { Run, RunQuestion, Runs } from '@tenon/runs/api';
import { errors as runErrors } from '@tenon/runs/api';
import type { ChannelKind, ChannelSettings } from '../src/channel.ts';
import { desktop } from '../src/kinds/desktop.ts';
import { discord } from '../src/kinds/discord/discord.ts';
import { ntfy } from '../src/kinds/ntfy.ts';
import { slack } from '../src/kinds/slack/slack.ts';
import { telegram } from '../src/kinds/telegram.ts';
import { webhook } from '../src/kinds/webhook/webhook.ts';
import type { OpenQuestion, QuestionSource } from '../src/question.ts';
import { ChannelsService, type ServiceParts } from '../src/service.ts';
import { type ChannelsState, readChannelsState } from '../src/state/state.ts';
import { DISCORD_TOKEN } from './fakes/discord.ts';
import { NTFY_TOKEN } from './fakes/ntfy.ts';
import { SLACK_APP_TOKEN, SLACK_TOKEN } from './fakes/slack.ts';
import { TELEGRAM_TOKEN } from './fakes/telegram.ts';

const KINDS: Readonly<Record<string, ChannelKind>> = { discord, telegram, slack, webhook, ntfy, desktop };
/** The secret of webhooks in tests. */
export const WEBHOOK_SECRET = 'a-secret-of-webhooks-for-tests';
const CREDENTIALS: Readonly<Record<string, string>> = {
  discord: DISCORD_TOKEN,
  telegram: TELEGRAM_TOKEN,
  slack: SLACK_TOKEN,
  'slack-app': SLACK_APP_TOKEN,
  ntfy: NTFY_TOKEN,
  webhook: WEBHOOK_SECRET,
};

/** Questions that a test asks, and the answers that came. */
export class PlayedQuestions implements QuestionSource {
  readonly asked: OpenQuestion[] = [];
  readonly answers: { readonly id: string; readonly answer: string; readonly by: string }[] = [];
  /** Keeps answers waiting until it is called. */
  hold: Promise<void> = Promise.resolve();

  ask(question: Partial<OpenQuestion> & { readonly id: string }): void {
    this.asked.push({ title: 'brisk-otter asks', text: 'Which one?', takesText: true, ...question });
  }

  withdraw(id: string): void {
    this.asked.splice(0, this.asked.length, ...this.asked.filter((question) => question.id !== id));
  }

  async open(): Promise<readonly OpenQuestion[]> {
    return [...this.asked];
  }

  async answer(id: string, answer: string, by: string): Promise<'taken' | 'gone'> {
    await this.hold;
    if (!this.asked.some((question) => question.id === id)) return 'gone';
    this.withdraw(id);
    this.answers.push({ id, answer, by });
    return 'taken';
  }
}

/** Runs that a test moves by hand. */
export class PlayedRuns {
  readonly all = new Map<string, Run>();
  readonly questions = new Map<string, RunQuestion[]>();
  readonly sent: { readonly run: string; readonly text: string }[] = [];
  starts = 0;

  move(id: string, change: Partial<Run>): void {
    const run = this.all.get(id);
    if (run) this.all.set(id, { ...run, ...change });
  }

  get service(): Runs {
    const get = (run: Pick<Run, 'id' | 'alias'>): Run => {
      const now = this.all.get(run.id);
      if (!now) throw runErrors.create('RUNS_UNKNOWN', { name: run.alias, hint: '' });
      return now;
    };
    const service: Partial<Runs> = {
      start: async (request) => {
        const id = request.key ?? 'no-key';
        if (this.all.has(id)) return get({ id, alias: '' });
        this.starts += 1;
        const base = {
          id,
          alias: `otter-${this.starts}`,
          request,
          worker: request.worker ?? 'fake',
          folder: request.cwd,
        };
        this.all.set(id, { ...base, state: 'running', session: 1, attempt: 1 } as unknown as Run);
        return get({ id, alias: '' });
      },
      find: async (name) => get({ id: name, alias: name }),
      list: async ({ states } = {}) => [...this.all.values()].filter(({ state }) => states?.includes(state) ?? true),
      details: async (run) => ({ run: get(run), sessions: [], questions: this.questions.get(run.id) ?? [] }),
      send: async (run, text) => {
        if (get(run).state !== 'done')
          throw runErrors.create('RUNS_STATE', { alias: run.alias, state: get(run).state, wish: 'send', next: '' });
        this.sent.push({ run: run.id, text });
        this.move(run.id, { state: 'running', session: get(run).session + 1 });
        return get(run);
      },
      retry: async (run) => {
        this.move(run.id, { state: 'running', attempt: get(run).attempt + 1, session: get(run).session + 1 });
        return get(run);
      },
      cancel: async (run) => {
        this.move(run.id, { state: 'cancelled' });
        return get(run);
      },
    };
    return service as Runs;
  }
}

/** A store of credentials in memory. */
export function authOf(keys: Readonly<Record<string, string>>, secrets = new Map<string, string>()): AuthStore {
  const store: Pick<AuthStore, 'keys' | 'changeSecret'> = {
    keys: async (name) => [keys[name] ?? ''].filter(Boolean),
    async changeSecret(name, change) {
      const changed = await change(secrets.get(name));
      if (changed === undefined) secrets.delete(name);
      else secrets.set(name, changed);
    },
  };
  return store as AuthStore;
}

/** What a test works with. */
export interface World {
  readonly service: ChannelsService;
  readonly questions: PlayedQuestions;
  readonly runs: PlayedRuns;
  readonly folder: string;
  /** What was written to the log. */
  readonly log: string[];
  state(): Promise<ChannelsState>;
  /** Begins to serve; gives how to end it, as a killed process would, or well. */
  serve(): Promise<() => Promise<void>>;
}

/** Makes a world with these channels. */
export function makeWorld(
  use: Readonly<Record<string, ChannelSettings>>,
  more: Partial<ServiceParts> & { readonly delaySeconds?: number } = {},
): World {
  const folder = temporaryFolder('channels');
  const folders = separateFolders(folder);
  const questions = new PlayedQuestions();
  const runs = new PlayedRuns();
  const log: string[] = [];
  const secrets = new Map<string, string>();
  const write = (message: string) => void log.push(message);
  const registry = <V>(entries: Readonly<Record<string, V>>) =>
    ({
      list: () => Object.keys(entries).map((key) => ({ key })),
      resolve: async (key: string) => entries[key],
    }) as unknown as ServiceParts['kinds'] & ServiceParts['sources'];
  const service = new ChannelsService({
    folders,
    settings: { use, delaySeconds: more.delaySeconds ?? 0 },
    env: process.env,
    log: { ...silentLogger, info: write, warn: write, error: write },
    kinds: registry(KINDS),
    sources: registry({ played: questions }),
    variables: {},
    runs: async () => runs.service,
    approvals: async () => undefined,
    auth: async () => authOf(CREDENTIALS, secrets),
    masks: async () => undefined,
    lookMs: 10,
    ...more,
  });
  return {
    service,
    questions,
    runs,
    folder,
    log,
    state: () => readChannelsState(folders.state),
    async serve() {
      const ending = new AbortController();
      let begun = () => {};
      const serving = new Promise<void>((resolve) => void (begun = resolve));
      const over = service.serve({ signal: ending.signal, onServing: () => begun() });
      await Promise.race([serving, over]);
      const end = async () => {
        ending.abort();
        await over;
      };
      later(end);
      return end;
    },
  };
}
