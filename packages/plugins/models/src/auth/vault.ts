import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { StoredCredential } from '../api.ts';
import { errors } from '../errors.ts';
import type { MasterKeySource } from './master-key.ts';

/** Credentials by provider; a provider may have several keys. */
export type Credentials = Readonly<Record<string, readonly StoredCredential[]>>;

interface Sealed {
  readonly version: 1;
  readonly key: MasterKeySource['kind'];
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}

/** The encrypted file with the stored credentials. */
export class CredentialVault {
  readonly #file: string;
  readonly #sources: readonly MasterKeySource[];
  /** What was read last, and from which state of the file. */
  #known: { readonly stamp: string; readonly credentials: Credentials } | undefined;

  /** New files use the first source that works; a file that exists names the one it was made with. */
  constructor(file: string, sources: readonly MasterKeySource[]) {
    this.#file = file;
    this.#sources = sources;
  }

  /** Where the key of the present file lies; nothing before the first credential is stored. */
  async keptBy(): Promise<MasterKeySource['kind'] | undefined> {
    return (await this.#sealed())?.key;
  }

  /** All credentials. */
  async read(): Promise<Credentials> {
    const stamp = await this.#stamp();
    if (stamp === undefined) return {};
    if (this.#known?.stamp === stamp) return this.#known.credentials;
    const sealed = await this.#sealed();
    const credentials = sealed ? await this.#open(sealed) : {};
    this.#known = { stamp, credentials };
    return credentials;
  }

  /** Changes are whole new files, so that the inode and the time tell them apart. */
  async #stamp(): Promise<string | undefined> {
    try {
      const { ino, mtimeNs, size } = await stat(this.#file, { bigint: true });
      return `${ino} ${mtimeNs} ${size}`;
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw errors.create('MODELS_VAULT_DAMAGED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
  }

  /** Changes the credentials while no other process does. Gives what is stored afterwards. */
  async update(change: (credentials: Credentials) => Credentials | Promise<Credentials>): Promise<Credentials> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const { lock } = (await import('proper-lockfile')).default;
    const release = await lock(this.#file, {
      realpath: false,
      retries: { retries: 60, minTimeout: 20, maxTimeout: 250, randomize: true },
    });
    try {
      const sealed = await this.#sealed();
      const before = sealed ? await this.#open(sealed) : {};
      const after = await change(before);
      if (after !== before) await this.#write(after, sealed?.key);
      return after;
    } finally {
      await release();
    }
  }

  async #sealed(): Promise<Sealed | undefined> {
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw errors.create('MODELS_VAULT_DAMAGED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
    try {
      const sealed = JSON.parse(text) as Sealed;
      if (sealed.version !== 1) throw new Error(`its version ${String(sealed.version)} is unknown`);
      return sealed;
    } catch (fault) {
      throw errors.create('MODELS_VAULT_DAMAGED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
  }

  async #open(sealed: Sealed): Promise<Credentials> {
    const key = await this.#key(sealed.key);
    try {
      const decipher = createDecipheriv('aes-256-gcm', derive(key, sealed.salt), bytes(sealed.nonce));
      decipher.setAuthTag(bytes(sealed.tag));
      decipher.setAAD(Buffer.from(`tenon credentials ${sealed.key}`));
      const text = Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()]).toString('utf8');
      return JSON.parse(text) as Credentials;
    } catch (fault) {
      throw errors.create(
        'MODELS_VAULT_DAMAGED',
        { file: this.#file, reason: 'the key does not fit, or the file was changed' },
        fault,
      );
    }
  }

  async #key(kind: MasterKeySource['kind']): Promise<Buffer> {
    const source = this.#sources.find((candidate) => candidate.kind === kind);
    const advice =
      kind === 'keychain'
        ? 'Unlock the keychain of your desktop session, or move the file away and log in again.'
        : 'Restore the key file from a backup, or move the credentials away and log in again.';
    let reason = `its key is kept by the ${kind}, which the settings exclude`;
    try {
      const key = await source?.read();
      if (key) return key;
      if (source) reason = `its key is not in the ${kind}`;
    } catch (fault) {
      reason = messageOf(fault);
    }
    throw errors.create('MODELS_VAULT_KEY', { file: this.#file, reason, advice });
  }

  async #write(credentials: Credentials, kind: MasterKeySource['kind'] | undefined): Promise<void> {
    const { key, kind: keptBy } = kind ? { key: await this.#key(kind), kind } : await this.#newKey();
    const salt = randomBytes(16);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', derive(key, salt.toString('base64')), nonce);
    cipher.setAAD(Buffer.from(`tenon credentials ${keptBy}`));
    const data = Buffer.concat([cipher.update(JSON.stringify(credentials), 'utf8'), cipher.final()]);
    const text = (part: Buffer) => part.toString('base64');
    const sealed: Sealed = {
      version: 1,
      key: keptBy,
      salt: text(salt),
      nonce: text(nonce),
      tag: text(cipher.getAuthTag()),
      data: text(data),
    };
    const aside = `${this.#file}.${randomBytes(6).toString('hex')}.tmp`;
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(sealed)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      await rename(aside, this.#file);
    } catch (fault) {
      await rm(aside, { force: true });
      throw fault;
    }
  }

  /** A key from the first place that works: without a desktop session there is no keychain. */
  async #newKey(): Promise<{ key: Buffer; kind: MasterKeySource['kind'] }> {
    const reasons: string[] = [];
    for (const source of this.#sources) {
      try {
        return { key: await source.create(), kind: source.kind };
      } catch (fault) {
        reasons.push(`${source.kind}: ${messageOf(fault)}`);
      }
    }
    const advice = 'Unlock the keychain, or allow a key file: `tenon config set models.credentialStore file`.';
    throw errors.create('MODELS_VAULT_KEY', { file: this.#file, reason: reasons.join('; '), advice });
  }
}

const bytes = (text: string) => Buffer.from(text, 'base64');

function derive(key: Buffer, salt: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, bytes(salt), 'tenon credentials', 32));
}
