/**
 * Calls that wait for an answer, one file each, so that any process can see and answer them and none is lost by a restart.
 * An allowed call is used up by renaming its file: of several processes only one can.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, messageOf } from '@tenon/kernel';
import { readState, readText, replaceFile, type StateForm, updateState, versionedJson } from '@tenon/state-files';
import { didYouMean } from '@tenon/wording';
import type { Extent, HeldApproval, WayOut } from '../api.ts';
import { errors } from '../errors.ts';
import type { RuleData } from '../policy/rule.ts';

const VERSION = 1;
/** Changes are seen at once where the system tells about them, and this late where it does not. */
const LOOK_AGAIN_MS = 1000;

/** A held call with what only this plugin needs. */
export interface HeldRecord extends HeldApproval {
  readonly version: typeof VERSION;
  /** The fingerprint of tool, input and folder. */
  readonly digest: string;
  /** What "for this session" and "always" would allow. */
  readonly rules: readonly RuleData[];
  /** With `expected`: the same for the wider run. */
  readonly widerRules?: readonly RuleData[];
  /** How far a yes goes. */
  readonly extent?: Extent;
  /** How far it lets the call out of the sandbox. */
  readonly way?: WayOut;
}

/** What is needed to hold a call. */
export type HoldRequest = Pick<
  HeldRecord,
  | 'tool'
  | 'input'
  | 'folder'
  | 'session'
  | 'subagent'
  | 'summary'
  | 'text'
  | 'spans'
  | 'refused'
  | 'expected'
  | 'needy'
  | 'variables'
  | 'ways'
  | 'onlyOnce'
  | 'widerRules'
  | 'tier'
  | 'reasons'
  | 'digest'
  | 'rules'
>;

/** Keeps held calls. */
export class HeldStore {
  readonly folder: string;
  readonly #keepMs: number;
  readonly #log: Logger;

  constructor(folder: string, options: { readonly keepHours: number; readonly log: Logger }) {
    this.folder = folder;
    this.#keepMs = options.keepHours * 3_600_000;
    this.#log = options.log;
  }

  /** Holds a call. The same call is held once, for the session that asked last. */
  async hold(request: HoldRequest): Promise<HeldRecord> {
    const same = (await this.list()).find(({ digest, state }) => digest === request.digest && state === 'waiting');
    if (same) {
      const { session: _session, subagent: _subagent, ...rest } = same;
      const asked = { ...rest, ...request };
      if (same.session !== request.session) await this.#write(asked);
      return asked;
    }
    const now = Date.now();
    const record: HeldRecord = {
      version: VERSION,
      id: randomBytes(4).toString('hex'),
      state: 'waiting',
      since: new Date(now).toISOString(),
      until: new Date(now + this.#keepMs).toISOString(),
      ...request,
    };
    await this.#write(record);
    return record;
  }

  /** All that wait or were answered, oldest first. What has expired is removed on the way. */
  async list(): Promise<HeldRecord[]> {
    const names = await readdir(this.folder, { withFileTypes: true }).catch(
      (fault: NodeJS.ErrnoException): Dirent[] => {
        if (fault.code === 'ENOENT') return [];
        throw fault;
      },
    );
    const records: HeldRecord[] = [];
    for (const name of names.filter((entry) => entry.isFile() && entry.name.endsWith('.json'))) {
      const record = await this.#read(join(this.folder, name.name));
      if (record && Date.parse(record.until) <= Date.now()) await rm(this.#file(record.id), { force: true });
      else if (record) records.push(record);
    }
    return records.toSorted((left, right) => (left.since < right.since ? -1 : 1));
  }

  /** The record with this id, or the only one whose id begins so. */
  async get(id: string): Promise<HeldRecord> {
    const all = await this.list();
    const fitting = all.filter((record) => record.id === id || (id.length >= 2 && record.id.startsWith(id)));
    const [only] = fitting;
    if (fitting.length !== 1 || only === undefined) {
      throw errors.create('APPROVAL_UNKNOWN', {
        id,
        hint: didYouMean(
          id,
          all.map((record) => record.id),
        ),
      });
    }
    return only;
  }

  /** Writes an answer down. */
  async answer(
    record: HeldRecord,
    change: Pick<HeldRecord, 'state'> & Partial<Pick<HeldRecord, 'extent' | 'reason' | 'way'>>,
  ): Promise<HeldRecord> {
    const answered = { ...record, ...change };
    await this.#write(answered);
    return answered;
  }

  /** Whether a call was allowed and the answer is still there. */
  async isAllowed(digest: string): Promise<boolean> {
    return (await this.list()).some((record) => record.digest === digest && record.state === 'allowed');
  }

  /** The answer for a call, if there is one; a yes for once is used up by this. */
  async take(digest: string): Promise<HeldRecord | undefined> {
    const record = (await this.list()).find(
      (candidate) => candidate.digest === digest && candidate.state !== 'waiting',
    );
    if (record?.state !== 'allowed') return record;
    const used = join(this.folder, `${record.id}.used-${process.pid}`);
    try {
      await rename(this.#file(record.id), used);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // Another process was faster.
      throw fault;
    }
    await rm(used, { force: true });
    return record;
  }

  /** Forgets a call. */
  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  /** Forgets all; gives how many there were. Damaged records go too. */
  async clear(): Promise<number> {
    const count = (await this.list()).length;
    await rm(this.folder, { recursive: true, force: true });
    return count;
  }

  /** Waits until somebody else answers the call or removes it. */
  async answered(id: string, signal: AbortSignal): Promise<HeldRecord | undefined> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (signal.aborted) return undefined; // Nothing would end the watch any more.
    return new Promise((resolve) => {
      const look = async () => {
        const record = await this.#read(this.#file(id)).catch((error: unknown) => {
          this.#log.warn('the answer to a held call cannot be read; looking again', { id, error });
          return 'unreadable' as const;
        });
        if (signal.aborted || record === 'unreadable' || record?.state === 'waiting') return;
        end();
        resolve(record);
      };
      const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
      timer.unref();
      const watcher = this.#watcher(() => void look());
      const end = () => {
        clearInterval(timer);
        watcher?.close();
      };
      signal.addEventListener('abort', end, { once: true });
      void look();
    });
  }

  /** Calls `onChange` when a process holds, answers or forgets a call, until the returned function is called. */
  watch(onChange: () => void): () => void {
    const stop = new AbortController();
    const give = async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      if (stop.signal.aborted) return;
      const watcher = this.#watcher((name) => {
        // Records are written beside and renamed; only the finished file counts.
        if (name === null || name.endsWith('.json')) onChange();
      });
      const timer = watcher ? undefined : setInterval(onChange, LOOK_AGAIN_MS).unref();
      const end = () => (watcher ? watcher.close() : clearInterval(timer));
      stop.signal.addEventListener('abort', end, { once: true });
    };
    give().catch((error: unknown) => this.#log.debug('cannot watch the held calls', { error }));
    return () => stop.abort();
  }

  /** Undefined where the system watches no more folders: other programs may watch all that it allows to a user. */
  #watcher(onChange: (name: string | null) => void): FSWatcher | undefined {
    const tell = (error: unknown) => this.#log.debug('cannot watch the held calls; looking every second', { error });
    try {
      return watch(this.folder, { persistent: false }, (_event, name) => onChange(name)).on('error', tell);
    } catch (error) {
      tell(error);
      return undefined;
    }
  }

  /** What a session may do without asking again. */
  async sessionRules(session: string): Promise<readonly RuleData[]> {
    try {
      return await readState(this.#sessionFile(session), grantsOf(session));
    } catch (error) {
      // Without the file everything is asked about again, which is safe.
      this.#log.warn('the grants of a session cannot be read', { session, error });
      return [];
    }
  }

  /** Lets a session do more. */
  async grantSession(session: string, rules: readonly RuleData[]): Promise<void> {
    await updateState(
      this.#sessionFile(session),
      grantsOf(session),
      (known) => [...new Map([...known, ...rules].map((rule) => [JSON.stringify(rule), rule])).values()],
      { onSetAside: ({ message }) => this.#log.warn(message, { session }) },
    );
  }

  #file(id: string): string {
    return join(this.folder, `${id}.json`);
  }

  #sessionFile(session: string): string {
    return join(this.folder, 'sessions', `${createHash('sha256').update(session).digest('hex').slice(0, 32)}.json`);
  }

  async #write(record: HeldRecord): Promise<void> {
    await replaceFile(this.#file(record.id), `${JSON.stringify(record, null, 2)}\n`);
  }

  async #read(file: string): Promise<HeldRecord | undefined> {
    const text = await readText(file);
    if (text === undefined) return undefined;
    try {
      const record = JSON.parse(text) as HeldRecord;
      const isWhole =
        record.version === VERSION && ['id', 'digest', 'tool', 'until', 'state'].every((key) => key in record);
      if (!isWhole || !/^[0-9a-f]{8}$/.test(record.id)) throw new Error('it is not a record of this version');
      // Records of earlier versions show less.
      return { ...record, text: record.text ?? record.summary, spans: record.spans ?? [] };
    } catch (fault) {
      // The call is asked about again, which is safe.
      this.#log.warn(errors.create('APPROVAL_RECORD_INVALID', { file, reason: messageOf(fault) }, fault).message);
      return undefined;
    }
  }
}

/** How the rules that a session was granted are kept. */
function grantsOf(session: string): StateForm<readonly RuleData[]> {
  return {
    empty: [],
    parse(text) {
      const content = versionedJson<{ session: unknown; rules: readonly RuleData[] }>(text, VERSION, 'rules');
      if (content.session !== session || !Array.isArray(content.rules)) throw new Error('it is of another session');
      return content.rules;
    },
    write: (rules) => `${JSON.stringify({ version: VERSION, session, rules }, null, 2)}\n`,
    damaged: (file, reason, cause) => errors.create('APPROVAL_RECORD_INVALID', { file, reason }, cause),
  };
}
