import { plainLine } from '@tenon/wording';
import { type Folders, isInside, type UserInterface } from '@tenon/host';
import type { TrustRecord, WorkspaceTrust } from './api.ts';
import { errors } from './errors.ts';
import { coveringRecord, decide, newTriggers, readTrust, realFolder, trustFile } from './trust-records.ts';

/** What deciding about folders needs. */
export interface TrustHost {
  readonly folders: Pick<Folders, 'data' | 'home'>;
  /** Whoever can be asked; undefined where there is no user interface at all. */
  userInterface(): Promise<UserInterface | undefined>;
  /** The names that make something run when they appear in a folder of a project. */
  triggers(): readonly string[];
}

const TRUST = 'Trust this folder';
const REFUSE = 'Do not trust it';

/** Makes the service. */
export function createWorkspaceTrust(host: TrustHost): WorkspaceTrust {
  const file = trustFile(host.folders.data);
  const asking = new Map<string, Promise<boolean>>();
  // A question that was waved away is not asked again by the same process, but nothing is remembered either. Other new files
  // are another question.
  const waved = new Set<string>();

  async function ask(folder: string, what: string, fresh: readonly string[], key: string): Promise<boolean> {
    const ui = await host.userInterface();
    if (ui?.canAsk() !== true) return false;
    const isNew = fresh.length > 0 ? ` New since you trusted it: ${fresh.map(plainLine).join(', ')}.` : '';
    const title = `Do you trust ${folder}? It wants to ${what}.${isNew} What a project brings along can run as you.`;
    const answer = await ui.select(title, [TRUST, REFUSE]);
    if (answer !== TRUST && answer !== REFUSE) {
      waved.add(key);
      return false;
    }
    const shown = fresh.length > 0 ? fresh : undefined;
    await decide(file, folder, answer === TRUST ? 'trusted' : 'untrusted', { names: host.triggers(), shown });
    return answer === TRUST;
  }

  return {
    async stateOf(folder) {
      const path = await realFolder(folder);
      const record = coveringRecord(await readTrust(file), path);
      return record === undefined || (await newTriggers(record, path, host.triggers())).length > 0
        ? 'unknown'
        : record.state;
    },
    async ensure(folder, what) {
      const path = await realFolder(folder);
      const record = coveringRecord(await readTrust(file), path);
      const fresh = record ? await newTriggers(record, path, host.triggers()) : [];
      if (record !== undefined && fresh.length === 0) return record.state === 'trusted';
      const isWide = record !== undefined && (await isTooWide(record.folder, host.folders.home));
      // Nobody is asked about the home folder: what is new below it is a question about the folder that is worked in.
      const asked = record === undefined || isWide ? path : record.folder;
      const key = [asked, ...fresh].join('\n');
      if (waved.has(key) || (await isTooWide(asked, host.folders.home))) return false;
      const question = asking.get(key) ?? ask(asked, what, fresh, key).finally(() => asking.delete(key));
      asking.set(key, question);
      return question;
    },
    async grant(folder, { force = false } = {}) {
      const path = await realFolder(folder);
      if (!force && (await isTooWide(path, host.folders.home))) throw errors.create('TRUST_TOO_WIDE', { folder: path });
      return (await decide(file, path, 'trusted', { names: host.triggers() })) as TrustRecord;
    },
    async revoke(folder) {
      return (await decide(file, await realFolder(folder), 'untrusted', { names: [] })) as TrustRecord;
    },
    list: () => readTrust(file),
  };
}

/** The root, the home folder, and whatever holds it. */
async function isTooWide(path: string, home: string): Promise<boolean> {
  const realHome = await realFolder(home).catch(() => home);
  return isInside(realHome, path);
}
