import { sep } from 'node:path';
import type { Folders } from '@tenon/command-line/api';
import type { UserInterface } from '@tenon/modes/api';
import type { TrustRecord, WorkspaceTrust } from './api.ts';
import { errors } from './errors.ts';
import { coveringRecord, decide, newTriggers, readTrust, realFolder, trustFile } from './trust-records.ts';

/** What deciding about folders needs. */
export interface TrustHost {
  readonly folders: Pick<Folders, 'data' | 'home'>;
  /** Whoever can be asked; undefined where there is no user interface at all. */
  userInterface(): Promise<UserInterface | undefined>;
}

const TRUST = 'Trust this folder';
const REFUSE = 'Do not trust it';

/** Makes the service. */
export function createWorkspaceTrust(host: TrustHost): WorkspaceTrust {
  const file = trustFile(host.folders.data);
  const asking = new Map<string, Promise<boolean>>();
  // A question that was waved away is not asked again by the same process, but nothing is remembered either.
  const waved = new Set<string>();

  async function ask(folder: string, what: string, fresh: readonly string[]): Promise<boolean> {
    const ui = await host.userInterface();
    if (ui?.canAsk() !== true) return false;
    const isNew = fresh.length > 0 ? ` New since you trusted it: ${fresh.join(', ')}.` : '';
    const title = `Do you trust ${folder}? It wants to ${what}.${isNew} What a project brings along can run as you.`;
    const answer = await ui.select(title, [TRUST, REFUSE]);
    if (answer !== TRUST && answer !== REFUSE) {
      waved.add(folder);
      return false;
    }
    await decide(file, folder, answer === TRUST ? 'trusted' : 'untrusted');
    return answer === TRUST;
  }

  return {
    async stateOf(folder) {
      const path = await realFolder(folder);
      const record = coveringRecord(await readTrust(file), path);
      return record === undefined || (await newTriggers(record)).length > 0 ? 'unknown' : record.state;
    },
    async ensure(folder, what) {
      const path = await realFolder(folder);
      const record = coveringRecord(await readTrust(file), path);
      const fresh = record ? await newTriggers(record) : [];
      if (record !== undefined && fresh.length === 0) return record.state === 'trusted';
      const asked = record?.folder ?? path;
      if (waved.has(asked) || (await isTooWide(asked, host.folders.home))) return false;
      const question = asking.get(asked) ?? ask(asked, what, fresh).finally(() => asking.delete(asked));
      asking.set(asked, question);
      return question;
    },
    async grant(folder, { force = false } = {}) {
      const path = await realFolder(folder);
      if (!force && (await isTooWide(path, host.folders.home))) throw errors.create('TRUST_TOO_WIDE', { folder: path });
      return (await decide(file, path, 'trusted')) as TrustRecord;
    },
    async revoke(folder) {
      return (await decide(file, await realFolder(folder), 'untrusted')) as TrustRecord;
    },
    list: () => readTrust(file),
  };
}

/** The root, the home folder, and whatever holds it. */
async function isTooWide(path: string, home: string): Promise<boolean> {
  const realHome = await realFolder(home).catch(() => home);
  return path === realHome || realHome.startsWith(path.endsWith(sep) ? path : path + sep);
}
