/** Keys that travel with runs: sealed in the database with a key that only machines have which may read them. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { OpenRunQueue } from '@tenon/runs/api';
import type { Database } from './database/database.ts';
import { SCHEMA } from './database/schema.ts';

type Secrets = NonNullable<Awaited<ReturnType<OpenRunQueue['secrets']>>>;

const METHOD = 'aes-256-gcm';

/** Seals a text; the name is part of it, so that it cannot be passed off as another. */
export function seal(key: Buffer, name: string, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(METHOD, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Opens what was sealed; throws when it was changed, or sealed with another key. */
export function unseal(key: Buffer, name: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(METHOD, key, bytes.subarray(0, 12))
    .setAAD(Buffer.from(name))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** A row that only the fleet's own key opens. No run has this name. */
const PROOF = 'key of the fleet';

/** Whether a key is that of the fleet; undefined where the database does not know. */
export async function isKeyOf(database: Database, key: string): Promise<boolean | undefined> {
  const [row] = await database.rows<{ sealed: string }>(`SELECT sealed FROM ${SCHEMA}.secret WHERE name = $1`, [PROOF]);
  if (!row) return undefined;
  try {
    return unseal(Buffer.from(key, 'base64'), PROOF, row.sealed) === PROOF;
  } catch {
    return false; // Sealed with another key, or this is none.
  }
}

/** Lets the database know the key of the fleet, without having it. The first one counts. */
export async function proveKey(database: Database, key: string): Promise<void> {
  const sealed = seal(Buffer.from(key, 'base64'), PROOF, PROOF);
  await database.transaction((sql) =>
    sql.rows(`INSERT INTO ${SCHEMA}.secret (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
      PROOF,
      sealed,
    ]),
  );
}

/** Who uses the secrets. */
export interface SecretsUser {
  /** The fleet's key, in base64. */
  readonly key: string;
  /** Of who gives them: labels of hosts that may have them. */
  readonly allowed?: readonly string[];
  /** Of a host: its labels. One that none of them allows gets nothing. */
  readonly labels?: readonly string[];
}

interface Sealed {
  readonly allowed: readonly string[];
  readonly text: string;
}

/** The secrets of a fleet. */
export function sealedSecrets(database: Database, { key, allowed = [], labels }: SecretsUser): Secrets {
  const bytes = Buffer.from(key, 'base64');
  const opened = (name: string, sealed: string): string | undefined => {
    const { allowed: those, text } = JSON.parse(unseal(bytes, name, sealed)) as Sealed;
    return labels === undefined || those.some((label) => labels.includes(label)) ? text : undefined;
  };
  return {
    async secret(name) {
      const [row] = await database.rows<{ sealed: string }>(`SELECT sealed FROM ${SCHEMA}.secret WHERE name = $1`, [
        name,
      ]);
      return row && opened(name, row.sealed);
    },
    async changeSecret(name, change) {
      await database.transaction(async (sql) => {
        const [row] = await sql.rows<{ sealed: string }>(
          `SELECT sealed FROM ${SCHEMA}.secret WHERE name = $1 FOR UPDATE`,
          [name],
        );
        const text = await change(row && opened(name, row.sealed));
        if (text === undefined) await sql.rows(`DELETE FROM ${SCHEMA}.secret WHERE name = $1`, [name]);
        else
          await sql.rows(
            `INSERT INTO ${SCHEMA}.secret (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET sealed = $2`,
            [name, seal(bytes, name, JSON.stringify({ allowed, text } satisfies Sealed))],
          );
      });
    },
  };
}
