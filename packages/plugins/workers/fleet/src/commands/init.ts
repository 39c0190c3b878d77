/** `tenon fleet init`: prepares the database, and lets this machine know where it is. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import { checkAddress, credentialsFile, type FleetCredentials, keepCredentials, shownAddress } from '../credentials.ts';
import { Database } from '../database/database.ts';
import { checkSchema, migrate } from '../database/schema.ts';
import { errors } from '../errors.ts';
import type { FleetParts } from '../parts.ts';

const PATIENCE_MS = 3_000;

/** Makes the schema where it is missing, then writes the address down. */
export async function initFleet(parts: FleetParts, { flags, io, cwd }: CommandCall): Promise<void> {
  const from =
    typeof flags['credentials'] === 'string' ? await readGiven(resolve(cwd, flags['credentials'])) : undefined;
  const given = flags['postgres'];
  const url = checkAddress(from?.url ?? (typeof given === 'string' ? given : await askFor(io)));
  const database = new Database({ url, patienceMs: PATIENCE_MS, connections: 2 });
  let isNew = false;
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
  } finally {
    await database.close();
  }
  // The first machine makes the key; others get it with the file, if they may have secrets.
  const { key } = await keepCredentials(parts.folders, { url, newKey: isNew, key: from?.key });
  const path = credentialsFile(parts.folders);
  const place = shownAddress(url);
  if (flags['json'] === true) return io.json({ place, isNew, path, hasKey: key !== undefined });
  const secrets =
    key === undefined
      ? 'It has no key for secrets: copy the file of a machine that has one, and give it with --credentials.'
      : 'It has the key for secrets that travel.';
  await io.out(
    `${isNew ? 'The database was prepared' : 'The database was prepared before'}: ${plainLine(place)}\n` +
      `This machine knows it now (${plainLine(path)}). ${secrets}\n  tenon fleet worker --slots 4\n  tenon run --fleet "…"\n`,
  );
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
