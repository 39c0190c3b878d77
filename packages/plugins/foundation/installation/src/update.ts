/**
 * A new version is installed beside the present one, started once, and only then takes its place; the old one is kept whole. Both steps
 * are renames in one folder, so that there is a working Tenon at any moment.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';
import { plainLine, plainText } from '@tenon/wording';
import { confirm } from './confirm.ts';
import { errors } from './errors.ts';
import { BRIEFLY, type Npm } from './npm.ts';
import { type GlobalPlace, PACKAGE, PREVIOUS, refuseReadOnly } from './place.ts';
import { changesBetween, compareVersions, isVersion } from './versions.ts';

/** What an update works with. */
export interface UpdateParts {
  readonly place: GlobalPlace;
  readonly npm: Npm;
}

const START_MS = 60_000;

/** `tenon update`. */
export async function update(parts: UpdateParts, call: CommandCall): Promise<number> {
  const { place } = parts;
  const { io, flags, signal } = call;
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
  return withLock(
    join(place.modules, `.${PACKAGE}-update`),
    async () => {
      const fresh = mkdtempSync(join(place.modules, `.${PACKAGE}-new-`));
      try {
        return await install(parts, call, version, fresh);
      } finally {
        rmSync(fresh, { recursive: true, force: true });
      }
    },
    { signal },
  );
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
  const previous = join(place.modules, PREVIOUS);
  rmSync(previous, { recursive: true, force: true });
  exchange(place.folder, made, previous);
  await io.out(
    `Tenon ${version} is installed. ${place.version} is kept: \`tenon update --rollback\` brings it back.\n`,
  );
  return EXIT.ok;
}

/** `tenon update --rollback`. */
export async function rollBack(
  { place }: Pick<UpdateParts, 'place'>,
  { io, flags, signal }: CommandCall,
): Promise<number> {
  const previous = join(place.modules, PREVIOUS);
  if (!existsSync(join(previous, 'package.json')))
    throw errors.create('INSTALLATION_NO_PREVIOUS', { folder: place.modules });
  const { version } = JSON.parse(readFileSync(join(previous, 'package.json'), 'utf8')) as { version?: unknown };
  const kept = plainLine(String(version));
  refuseReadOnly(place);
  await refuseBroken(previous, kept, signal);
  if (!(await confirm(io, flags['yes'] === true, `Replace ${place.version} with ${kept}?`))) {
    await io.out('Nothing was changed.\n');
    return EXIT.ok;
  }
  await withLock(
    join(place.modules, `.${PACKAGE}-update`),
    async () => {
      const aside = mkdtempSync(join(place.modules, `.${PACKAGE}-old-`));
      exchange(place.folder, previous, join(aside, PACKAGE));
      renameSync(join(aside, PACKAGE), previous);
      rmSync(aside, { recursive: true, force: true });
    },
    { signal },
  );
  await io.out(`Tenon ${kept} is back. ${place.version} is kept: \`tenon update --rollback\` brings it back.\n`);
  return EXIT.ok;
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

/** It comes from a registry: nothing in it may steer the terminal. */
function readChanges(folder: string, from: string, to: string): string {
  const file = join(folder, 'CHANGELOG.md');
  return existsSync(file) ? plainText(changesBetween(readFileSync(file, 'utf8'), from, to)) : '';
}

/** Puts `next` into the place of `current`, which goes to `kept`; on failure everything is where it was. */
function exchange(current: string, next: string, kept: string): void {
  renameSync(current, kept);
  try {
    renameSync(next, current);
  } catch (fault) {
    renameSync(kept, current);
    throw errors.create('INSTALLATION_READ_ONLY', { folder: current, reason: messageOf(fault) }, fault);
  }
}
