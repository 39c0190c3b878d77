/**
 * A new version is installed beside the present one, started once, and only then takes its place; the old one is kept whole. All steps
 * are renames in one folder, and the command leads to a version that is in its place: there is a working Tenon at any moment.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { plainLine, plainText } from '@tenon/wording';
import { confirm } from './confirm.ts';
import { errors } from './errors.ts';
import { alone, isUnfinished, newFolder, replace, swap, versionIn } from './folders.ts';
import { BRIEFLY, type Npm } from './npm.ts';
import { type GlobalPlace, PACKAGE, PREVIOUS, refuseReadOnly } from './place.ts';
import { changesBetween, compareVersions, isVersion } from './versions.ts';

/** What an update works with. */
export interface UpdateParts {
  readonly place: GlobalPlace;
  readonly npm: Npm;
}

const START_MS = 60_000;
/** How much of a changelog is shown. */
const MOST_LINES = 120;
const MOST_LETTERS = 1_000;

/** `tenon update`. */
export async function update(parts: UpdateParts, call: CommandCall): Promise<number> {
  const { io, flags, signal } = call;
  const place = await finished(parts.place, signal);
  const wanted = typeof call.args['version'] === 'string' ? call.args['version'] : 'latest';
  const version = await resolveVersion(parts.npm, wanted, signal);
  const difference = compareVersions(version, place.version);
  if (difference === 0) {
    await io.out(`Tenon ${place.version} is ${wanted === 'latest' ? 'the newest version' : 'installed already'}.\n`);
    return EXIT.ok;
  }
  if (difference < 0 && wanted === 'latest') {
    await io.out(`Tenon ${place.version} is newer than ${version}, the newest in the registry.\n`);
    return EXIT.ok;
  }
  await io.out(`Tenon ${place.version} is installed; ${version} is available.\n`);
  if (flags['check'] === true) return EXIT.ok;
  refuseReadOnly(place);
  return alone(place, signal, async (present) => {
    const isBehind = wanted === 'latest' && compareVersions(version, present.version) < 0;
    if (isBehind || present.version === version) {
      await io.out(`Tenon ${present.version} is installed already.\n`);
      return EXIT.ok;
    }
    const fresh = newFolder(present);
    try {
      return await install({ ...parts, place: present }, call, version, fresh);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  });
}

async function install(
  { place, npm }: UpdateParts,
  call: CommandCall,
  version: string,
  fresh: string,
): Promise<number> {
  const { io, flags, signal } = call;
  if (io.progress) await io.err(`Fetching ${PACKAGE} ${version}…\n`);
  await npm(['install', '--global', '--prefix', fresh, '--ignore-scripts', `${PACKAGE}@${version}`], signal);
  const made = join(fresh, 'lib', 'node_modules', PACKAGE);
  await refuseBroken(made, version, signal);
  const changes = readChanges(made, place.version, version);
  if (changes !== '') await io.out(`\n${changes}\n\n`);
  if (!(await confirm(io, flags['yes'] === true, `Replace ${place.version} with ${version}?`))) {
    await io.out('Nothing was changed.\n');
    return EXIT.ok;
  }
  replace(place, made);
  await io.out(
    `Tenon ${version} is installed. ${place.version} is kept: \`tenon update --rollback\` brings it back.\n`,
  );
  return EXIT.ok;
}

/** `tenon update --rollback`. */
export async function rollBack(parts: Pick<UpdateParts, 'place'>, { io, flags, signal }: CommandCall): Promise<number> {
  const place = await finished(parts.place, signal);
  refuseReadOnly(place);
  return alone(place, signal, async (present) => {
    const previous = join(present.modules, PREVIOUS);
    const kept = versionIn(previous);
    if (kept === undefined) throw errors.create('INSTALLATION_NO_PREVIOUS', { folder: present.modules });
    await refuseBroken(previous, kept, signal);
    if (!(await confirm(io, flags['yes'] === true, `Replace ${present.version} with ${kept}?`))) {
      await io.out('Nothing was changed.\n');
      return EXIT.ok;
    }
    swap(present);
    await io.out(`Tenon ${kept} is back. ${present.version} is kept: \`tenon update --rollback\` brings it back.\n`);
    return EXIT.ok;
  });
}

/** What another update has begun, and somebody killed, comes first. */
function finished(place: GlobalPlace, signal: AbortSignal): Promise<GlobalPlace> {
  return isUnfinished(place) ? alone(place, signal, async (present) => present) : Promise.resolve(place);
}

async function resolveVersion(npm: Npm, wanted: string, signal: AbortSignal): Promise<string> {
  if (!/^[0-9A-Za-z][0-9A-Za-z.+-]*$/.test(wanted))
    throw errors.create('INSTALLATION_VERSION', { version: plainLine(wanted) });
  const question = ['view', `${PACKAGE}@${wanted}`, 'version', '--prefer-online', ...BRIEFLY];
  const answer = (await npm(question, signal)).trim();
  if (!isVersion(answer))
    throw errors.create('INSTALLATION_VERSION', { version: plainLine(answer === '' ? wanted : answer) });
  return answer;
}

/** A version that cannot start must never take the place of one that does. */
async function refuseBroken(folder: string, version: string, signal: AbortSignal): Promise<void> {
  const program = join(folder, 'bin', 'tenon.mjs');
  const reason = await new Promise<string | undefined>((resolve) => {
    execFile(
      process.execPath,
      [program, '--version'],
      { signal, timeout: START_MS, encoding: 'utf8' },
      (fault, out, err) => {
        if (fault) return resolve(plainLine(err || messageOf(fault)).slice(0, 300));
        resolve(out.trim() === `tenon ${version}` ? undefined : `it says that it is "${plainLine(out)}"`);
      },
    );
  });
  signal.throwIfAborted();
  if (reason !== undefined) throw errors.create('INSTALLATION_BROKEN', { version, reason });
}

/** It comes from a registry: nothing in it may steer the terminal, or push the question out of sight. */
function readChanges(folder: string, from: string, to: string): string {
  const file = join(folder, 'CHANGELOG.md');
  if (!existsSync(file)) return '';
  const lines = plainText(changesBetween(readFileSync(file, 'utf8'), from, to)).split('\n');
  const shown = lines
    .slice(0, MOST_LINES)
    .map((line) => (line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}…` : line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… ${more} more lines: CHANGELOG.md in ${folder}`] : [])].join('\n');
}
