/** `tenon fleet init`: prepares the database, and lets this machine know where it is. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import {
  checkAddress,
  credentialsBefore,
  credentialsFile,
  type FleetCredentials,
  keepCredentials,
  newKey,
  shownAddress,
} from '../credentials.ts';
import { Database } from '../database/database.ts';
import { checkSchema, migrate } from '../database/schema.ts';
import { errors } from '../errors.ts';
import type { FleetParts } from '../parts.ts';
import { isKeyOf, proveKey } from '../secrets.ts';

const PATIENCE_MS = 3_000;

/** Makes the schema where it is missing, then writes the address down. */
export async function initFleet(parts: FleetParts, { flags, io, cwd }: CommandCall): Promise<void> {
  const from =
    typeof flags['credentials'] === 'string' ? await readGiven(resolve(cwd, flags['credentials'])) : undefined;
  const given = flags['postgres'];
  const url = checkAddress(from?.url ?? (typeof given === 'string' ? given : await askFor(io)));
  const database = new Database({ url, patienceMs: PATIENCE_MS, connections: 2 });
  let isNew = false;
  let key: string | undefined;
  try {
    isNew = await checkSchema(database).then(
      () => false,
      (fault: unknown) => {
        if ((fault as { code?: unknown }).code !== 'FLEET_NO_SCHEMA') throw fault;
        return true;
      },
    );
    if (isNew) {
      const { migrateEngine } = await import('../queue/engine.ts');
      await migrateEngine(url, parts.log);
      await migrate(database);
    }
    key = await keyFor(database, { isNew, given: from?.key, before: await credentialsBefore(parts.folders) });
    if (key === undefined && from?.key !== undefined)
      throw errors.create('FLEET_KEY', { path: String(flags['credentials']), place: database.place });
  } finally {
    await database.close();
  }
  const previous = await keepCredentials(parts.folders, { url, ...(key !== undefined && { key }) });
  const path = credentialsFile(parts.folders);
  const place = shownAddress(url);
  if (flags['json'] === true) return io.json({ place, isNew, path, hasKey: key !== undefined, previous });
  const secrets =
    key === undefined
      ? 'It has no key for secrets: copy the file of a machine that has one, and give it with --credentials.'
      : 'It has the key for secrets that travel.';
  const kept =
    previous === undefined
      ? ''
      : `The key of the fleet that it knew before is kept in ${plainLine(previous)}; --credentials with that file goes back.\n`;
  await io.out(
    `${isNew ? 'The database was prepared' : 'The database was prepared before'}: ${plainLine(place)}\n` +
      `This machine knows it now (${plainLine(path)}). ${secrets}\n${kept}  tenon fleet worker --slots 4\n  tenon run --fleet "…"\n`,
  );
}

/** The first machine makes the key; others get it with the file, if they may have secrets. A key of another fleet is none. */
async function keyFor(
  database: Database,
  known: {
    readonly isNew: boolean;
    readonly given: string | undefined;
    readonly before: FleetCredentials | undefined;
  },
): Promise<string | undefined> {
  const { isNew, given, before } = known;
  const isSame = before !== undefined && shownAddress(before.url) === database.place;
  const made = isNew ? newKey() : undefined;
  const key = given ?? (isSame || !isNew ? before?.key : undefined) ?? made;
  if (key === undefined) return undefined;
  const fits = await isKeyOf(database, key);
  if (fits === false) return undefined;
  // An earlier Tenon has left no proof: whoever has used this address with this key proves it now.
  if (fits === undefined && !isNew && given === undefined && !isSame) return undefined;
  await proveKey(database, key);
  return key;
}

async function askFor(io: CommandCall['io']): Promise<string> {
  if (!io.ask)
    throw errors.create('FLEET_FLAG', { flag: 'postgres', value: '', reason: 'give the address of PostgreSQL' });
  return (await io.ask('Address of PostgreSQL (postgresql://user:password@host/database): ', { secret: true })).trim();
}

async function readGiven(path: string): Promise<FleetCredentials> {
  try {
    const { url, key } = JSON.parse(await readFile(path, 'utf8')) as Partial<FleetCredentials>;
    return { url: String(url), ...(typeof key === 'string' && { key }) };
  } catch (fault) {
    throw errors.create('FLEET_FLAG', { flag: 'credentials', value: path, reason: messageOf(fault) }, fault);
  }
}
