import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { plainLine } from '@tenon/wording';
import { type Folders, isInside, type UserInterface } from '@tenon/host';
import type { ProjectProgram, TrustRecord, WorkspaceTrust } from './api.ts';
import { compare, type Comparison, type ProgramChange } from './content/content-pins.ts';
import { errors } from './errors.ts';
import {
  coveringRecord,
  decide,
  defining,
  newTriggers,
  readTrust,
  realFolder,
  rememberPins,
  trustFile,
} from './trust-records.ts';

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
const USE = 'Use it as it is now';
const LEAVE = 'Do not run it';

/** What is known about a folder, and about programs of it. */
interface Standing {
  readonly path: string;
  readonly record: TrustRecord | undefined;
  /** Triggers that have appeared. */
  readonly fresh: readonly string[];
  readonly comparison: Comparison;
}

/** Makes the service. */
export function createWorkspaceTrust(host: TrustHost): WorkspaceTrust {
  const file = trustFile(host.folders.data);
  const asking = new Map<string, Promise<boolean>>();
  // A question that was waved away is not asked again by the same process, but nothing is remembered either. Other new files
  // are another question.
  const waved = new Set<string>();
  const silent = new Set<string>();

  async function standingOf(folder: string, programs: readonly ProjectProgram[]): Promise<Standing> {
    const path = await realFolder(folder);
    const record = coveringRecord(await readTrust(file), path);
    const fresh = record ? await newTriggers(record, path, host.triggers()) : [];
    const isChecked = record?.state === 'trusted' && programs.length > 0;
    const placed = programs.map((program) => ({ ...program, cwd: resolve(path, program.cwd ?? '.') }));
    return {
      path,
      record,
      fresh,
      comparison: isChecked
        ? compare(record.folder, record.content, placed, defining(record.saw ?? host.triggers()))
        : UNCHANGED,
    };
  }

  /** True when nothing needs a question; then the bytes of programs that were there all along are remembered. */
  async function isAsTrusted({ record, fresh, comparison: { changes, unseen } }: Standing): Promise<boolean> {
    if (record?.state !== 'trusted' || fresh.length > 0) return false;
    if (Object.keys(unseen).length > 0) await rememberPins(file, record.folder, unseen, host.triggers());
    return changes.length === 0;
  }

  async function ask(asked: string, what: string, { fresh, comparison }: Standing, key: string): Promise<boolean> {
    const { changes, pins } = comparison;
    const ui = await host.userInterface();
    if (ui?.canAsk() !== true) return false;
    const isNew = fresh.length > 0 ? ` New since you trusted it: ${fresh.map(plainLine).join(', ')}.` : '';
    const changed = changes.length > 0 ? ` Changed since you trusted it: ${changeTexts(changes).join('; ')}.` : '';
    const title = `Do you trust ${asked}? It wants to ${what}.${isNew}${changed} What a project brings along can run as you.`;
    const isOnlyChanged = fresh.length === 0 && changes.length > 0;
    const [yes, no] = isOnlyChanged ? [USE, LEAVE] : [TRUST, REFUSE];
    // The safe answer stands first: Enter alone trusts nothing.
    const answer = await ui.select(title, [no, yes]);
    if (answer !== yes && (isOnlyChanged || answer !== no)) {
      waved.add(key);
      return false;
    }
    const shown = fresh.length > 0 ? fresh : undefined;
    const isPartial = shown !== undefined || changes.length > 0;
    const seen = { names: host.triggers(), shown, ...(isPartial && { pins }) };
    await decide(file, asked, answer === yes ? 'trusted' : 'untrusted', seen);
    return answer === yes;
  }

  return {
    async stateOf(folder, programs = []) {
      const standing = await standingOf(folder, programs);
      const { record } = standing;
      if (record === undefined) return 'unknown';
      if (record.state === 'trusted') return (await isAsTrusted(standing)) ? 'trusted' : 'unknown';
      return record.state;
    },
    async ensure(folder, what, programs = []) {
      const standing = await standingOf(folder, programs);
      const { path, record, fresh } = standing;
      const { changes, pins } = standing.comparison;
      if (record?.state === 'untrusted') return false;
      if (await isAsTrusted(standing)) return true;
      if ([...silent].some((quiet) => isInside(path, quiet))) return false;
      const isWide = record !== undefined && (await isTooWide(record.folder, host.folders.home));
      // Nobody is asked about the home folder: what is new below it is a question about the folder that is worked in.
      const asked = record === undefined || isWide ? path : record.folder;
      const bytes = changes.length > 0 ? JSON.stringify(pins) : '';
      const key = [asked, ...fresh, bytes].join('\n');
      if (waved.has(key) || (await isTooWide(asked, host.folders.home))) return false;
      const question = asking.get(key) ?? ask(asked, what, standing, key).finally(() => asking.delete(key));
      asking.set(key, question);
      // Whoever trusts the folder trusts it as it is: the bytes of these programs are those of that moment.
      return (await question) && (record !== undefined || (await this.stateOf(folder, programs)) === 'trusted');
    },
    neverAsk(folder) {
      const real = realpathSync(folder);
      silent.add(real);
      return () => void silent.delete(real);
    },
    async accept(folder, programs) {
      const { record, fresh, comparison } = await standingOf(folder, programs);
      // Whoever agrees to some programs has not agreed to a folder, nor to new things to run in it.
      if (record?.state !== 'trusted' || fresh.length > 0) return;
      const pins = { ...comparison.unseen, ...comparison.pins };
      if (Object.keys(pins).length > 0) await rememberPins(file, record.folder, pins, host.triggers());
    },
    async changesIn(folder, programs) {
      return changeTexts((await standingOf(folder, programs)).comparison.changes);
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

const UNCHANGED: Comparison = { changes: [], pins: {}, unseen: {} };

function changeTexts(changes: readonly ProgramChange[]): string[] {
  return changes.map(({ program, what }) => plainLine(what.includes(program.name) ? what : `${program.name}: ${what}`));
}

/** The root, the home folder, and whatever holds it. */
async function isTooWide(path: string, home: string): Promise<boolean> {
  const realHome = await realFolder(home).catch(() => home);
  return isInside(realHome, path);
}
