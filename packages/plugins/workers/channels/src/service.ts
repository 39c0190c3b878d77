/** Opens the channels that the user has set up, and serves them: one process at a time. */
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Approvals } from '@tenon/approval/api';
import type { Folders } from '@tenon/host';
import { type Logger, messageOf, type Registry, TenonError } from '@tenon/kernel';
import type { AuthStore } from '@tenon/models/api';
import type { Runs } from '@tenon/runs/api';
import type { SecretMasks } from '@tenon/secrets/api';
import { withLock } from '@tenon/state-files';
import { didYouMean } from '@tenon/wording';
import type { ServeOptions } from './api.ts';
import type { Bookmark, Channel, ChannelKind, ChannelSettings } from './channel.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { OpenChannel } from './dispatch/parts.ts';
import { errors } from './errors.ts';
import type { ChannelsSettings } from './generated/settings.ts';
import { rest } from './http/backoff.ts';
import type { QuestionSource } from './question.ts';
import { type SessionQuestions, sessionsSource } from './sources/sessions.ts';
import { readChannelsState, StateKeeper } from './state/state.ts';

/** How often a process that waits looks whether another one still serves. */
const WAIT_MS = 5_000;
const PROOF_KEY = 'channels-proof';
const MASK = '[redacted]';

/** The credentials that a kind needs. */
export const CREDENTIALS_OF: Readonly<Record<string, readonly string[]>> = {
  discord: ['discord'],
  telegram: ['telegram'],
  slack: ['slack', 'slack-app'],
  webhook: ['webhook'],
};

/** What the service works with. */
export interface ServiceParts {
  readonly folders: Folders;
  readonly settings: ChannelsSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly kinds: Registry<ChannelKind>;
  readonly sources: Registry<QuestionSource>;
  /** The variables that hold a credential, by its name. */
  readonly variables: Readonly<Record<string, readonly string[]>>;
  runs(): Promise<Runs>;
  approvals(): Promise<Approvals | undefined>;
  auth(): Promise<AuthStore | undefined>;
  masks(): Promise<SecretMasks | undefined>;
  /** How often questions and threads are looked at. */
  readonly lookMs?: number;
}

/** The channels of the user. */
export class ChannelsService {
  readonly #parts: ServiceParts;
  /** Credentials that were given out: they are masked in everything that goes out and in every message. */
  readonly #used = new Set<string>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** What the settings say, by name. */
  get configured(): Readonly<Record<string, ChannelSettings>> {
    return this.#parts.settings.use;
  }

  /** Opens one. */
  async open(name: string, bookmark: Bookmark): Promise<Channel> {
    const settings = Object.hasOwn(this.configured, name) ? this.configured[name] : undefined;
    if (!settings)
      throw errors.create('CHANNELS_UNKNOWN', { name, hint: didYouMean(name, Object.keys(this.configured)) });
    const { kind } = settings;
    const known = this.#parts.kinds.list().map(({ key }) => key);
    if (!known.includes(kind)) throw errors.create('CHANNELS_KIND', { name, kind, hint: didYouMean(kind, known) });
    return (await this.#parts.kinds.resolve(kind)).open({
      name,
      settings,
      bookmark,
      env: this.#parts.env,
      credential: (service) => this.credential(service),
      warn: (message) => this.#parts.log.warn(`channel "${name}": ${this.#redact(message)}`),
    });
  }

  /** A credential, as the store of credentials has it, or the environment. */
  async credential(service: string): Promise<string> {
    const variables = this.#parts.variables[service] ?? [];
    const [stored] = (await (await this.#parts.auth())?.keys(service)) ?? [];
    const found = stored ?? variables.map((name) => this.#parts.env[name]?.trim()).find(Boolean);
    if (found === undefined)
      throw errors.create('CHANNELS_NO_CREDENTIAL', { service, variable: variables[0] ?? 'its variable' });
    this.#used.add(found);
    return found;
  }

  /** Whether there is one. */
  async hasCredential(service: string): Promise<boolean> {
    try {
      await this.credential(service);
      return true;
    } catch (fault) {
      if (fault instanceof TenonError && fault.code === 'CHANNELS_NO_CREDENTIAL') return false;
      throw fault;
    }
  }

  /** Serves until the signal aborts. */
  async serve({ signal, sessions, waits = false, onServing }: ServeOptions): Promise<void> {
    if (Object.keys(this.configured).length === 0) throw errors.create('CHANNELS_NONE');
    const file = join(this.#parts.folders.state, 'channels', 'serve');
    let hasTold = false;
    while (!signal.aborted) {
      try {
        return await withLock(file, () => this.#serve(signal, sessions, onServing), { waitMs: 0, signal });
      } catch (fault) {
        if (signal.aborted) return;
        if (!(fault instanceof TenonError) || fault.code !== 'STATE_FILE_LOCKED') throw fault;
        const holder = String(fault.details['holder'] ?? 'another process');
        if (!waits) throw errors.create('CHANNELS_BUSY', { holder }, fault);
        if (!hasTold)
          this.#parts.log.info(`channels are served by ${holder}; this process takes over when that one ends`);
        hasTold = true;
        await rest(WAIT_MS, signal);
      }
    }
  }

  async #serve(
    signal: AbortSignal,
    sessions: SessionQuestions | undefined,
    onServing: ServeOptions['onServing'],
  ): Promise<void> {
    const { folders, log, settings } = this.#parts;
    const state = new StateKeeper(folders.state, await readChannelsState(folders.state));
    const channels = new Map<string, OpenChannel>();
    for (const [name, own] of Object.entries(this.configured)) {
      // Known from the beginning, so that nothing goes out with one of them in it.
      for (const credential of CREDENTIALS_OF[own.kind] ?? ['ntfy'])
        if (!(await this.hasCredential(credential)) && own.kind in CREDENTIALS_OF)
          log.warn(`channel "${name}": there is no credential; run \`tenon auth login ${credential}\``);
      const bookmark: Bookmark = {
        read: () => state.now.bookmarks[name],
        write: (text) => state.change((now) => void (now.bookmarks[name] = text)),
      };
      channels.set(name, { name, settings: own, channel: await this.open(name, bookmark) });
    }
    const sources = new Map<string, QuestionSource>();
    for (const { key } of this.#parts.sources.list()) sources.set(key, await this.#parts.sources.resolve(key));
    if (sessions)
      sources.set(
        'sessions',
        sessionsSource(sessions, () => this.#parts.approvals()),
      );
    const masks = await this.#parts.masks();
    // The store of credentials is not touched where no button needs it.
    const needsProof = [...channels.values()].some(({ channel }) => channel.maxChoices > 0 && !channel.takesText);
    const key = needsProof ? await this.#proofKey() : '';
    const dispatcher = new Dispatcher(
      {
        state,
        channels,
        sources,
        runs: () => this.#parts.runs(),
        mask: (value) => this.#redact(masks ? masks.mask(value) : value),
        proofOf: (code) => (key === '' ? '' : createHmac('sha256', key).update(code).digest('hex').slice(0, 32)),
        log,
        delayMs: settings.delaySeconds * 1000,
        home: folders.home,
      },
      this.#parts.lookMs,
    );
    onServing?.([...channels.keys()]);
    try {
      await dispatcher.run(signal);
    } catch (fault) {
      log.error(`channels are no longer served: ${this.#redact(messageOf(fault))}`);
      throw fault;
    }
  }

  /** The key for proofs in buttons, kept as credentials are. Without a store for them, buttons hold until this process ends. */
  async #proofKey(): Promise<string> {
    let key = randomBytes(32).toString('hex');
    await (await this.#parts.auth())?.changeSecret(PROOF_KEY, (present) => (key = present ?? key));
    return key;
  }

  /** Own credentials never leave, whatever a service or an agent says. */
  #redact<T>(value: T): T {
    if (typeof value !== 'string') return value;
    let text: string = value;
    for (const secret of this.#used) text = text.replaceAll(secret, MASK);
    return text as T & string;
  }
}
