/** `tenon fleet worker`: this machine does runs of the fleet until it is drained. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { counted, plainLine } from '@tenon/wording';
import { replaceFile, withLock } from '@tenon/state-files';
import { readCredentials, shownAddress } from '../credentials.ts';
import { errors } from '../errors.ts';
import { FleetHost } from '../host/fleet-host.ts';
import type { FleetParts } from '../parts.ts';
import { labelsOf } from '../queue/keys.ts';
import { sealedSecrets } from '../secrets.ts';
import { remotePolicy } from '../work/remotes.ts';
import { onTerminate } from './terminate.ts';

const MOST_SLOTS = 1_000;

/** Works until somebody drains it; Ctrl-C and SIGTERM do. */
export async function runWorker(parts: FleetParts, { flags, io, signal }: CommandCall): Promise<void> {
  const credentials = await readCredentials(parts.folders);
  const name = nameOf(flags['name']);
  const slots = slotsOf(flags['slots']);
  const labels = labelsOf(Array.isArray(flags['labels']) ? flags['labels'] : []);
  const state = join(parts.folders.state, 'fleet', name);
  const { key } = credentials;
  const work = async () => {
    const host = await FleetHost.start({
      url: credentials.url,
      name,
      machine: await machineOf(state),
      slots,
      labels,
      hasKey: key !== undefined,
      version: await parts.version(),
      state,
      keeping: await parts.keeping(),
      worktrees: () => parts.worktrees(),
      secrets: async (database) => (key === undefined ? undefined : sealedSecrets(database, { key, labels })),
      log: parts.log,
      maxBundleBytes: parts.settings.maxBundleMegabytes * 1_048_576,
      remotes: remotePolicy(parts.settings),
      allowsUnsandboxed: parts.settings.allowUnsandboxed,
    });
    const say = (text: string) => io.err(`${plainLine(text)}\n`);
    const labelText = labels.length === 0 ? '' : `, labels ${labels.join(', ')}`;
    await say(`${name} takes runs from ${shownAddress(credentials.url)}: ${counted(slots, 'slot')}${labelText}.`);
    const stop = () => {
      void say(host.size === 0 ? `${name} leaves.` : `${name} leaves when ${counted(host.size, 'run')} ended here.`);
      host.drain();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const restore = onTerminate(stop);
    await host.ended;
    restore();
    signal.removeEventListener('abort', stop);
  };
  try {
    await withLock(join(state, 'host'), work, { waitMs: 0 });
  } catch (fault) {
    if ((fault as { code?: unknown }).code !== 'STATE_FILE_LOCKED') throw fault;
    throw errors.create('FLEET_HOST_TAKEN', { name }, fault);
  }
}

/** Tells this folder of this machine from all others. */
async function machineOf(state: string): Promise<string> {
  const file = join(state, 'machine');
  const known = await readFile(file, 'utf8').catch(() => ''); // The first time.
  if (/^[\da-f]{16}$/.test(known)) return known;
  const made = randomBytes(8).toString('hex');
  await replaceFile(file, made);
  return made;
}

function nameOf(flag: unknown): string {
  const name = typeof flag === 'string' ? flag : hostname();
  if (!/^[\w.-]{1,60}$/.test(name))
    throw errors.create('FLEET_FLAG', { flag: 'name', value: name, reason: 'a name has letters, digits and . _ -' });
  return name;
}

function slotsOf(flag: unknown): number {
  const slots = Number(flag ?? 4);
  if (!Number.isInteger(slots) || slots < 1 || slots > MOST_SLOTS)
    throw errors.create('FLEET_FLAG', {
      flag: 'slots',
      value: String(flag),
      reason: `it is not a whole number from 1 to ${MOST_SLOTS}`,
    });
  return slots;
}
