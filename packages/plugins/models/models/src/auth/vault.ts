import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import { readText, replaceFile, withLock } from '@tenon/state-files';
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

/** A key and where it is kept. */
interface HeldKey {
  readonly key: Buffer;
  readonly kind: MasterKeySource['kind'];
}

/** Called once with the reason when a new key cannot go to its preferred store. */
export type FallbackReport = (reason: string) => void;

/** The encrypted file with the stored credentials. */
export class CredentialVault {
  readonly #file: string;
  readonly #sources: readonly MasterKeySource[];
  readonly #onFallback: FallbackReport;
  /** What is read or was read last, and from which state of the file. */
  #cache: { readonly stamp: string; readonly credentials: Promise<Credentials> } | undefined;

  /** New files use the first source that works; a file that exists names the one it was made with. */
  constructor(file: string, sources: readonly MasterKeySource[], onFallback: FallbackReport = () => undefined) {
    this.#file = file;
    this.#sources = sources;
    this.#onFallback = onFallback;
  }

  /** Where the key of the present file lies; nothing before the first credential is stored. */
  async keptBy(): Promise<MasterKeySource['kind'] | undefined> {
    return (await this.#sealed())?.key;
  }

  /** All credentials. */
  async read(): Promise<Credentials> {
    const stamp = this.#stamp();
    if (stamp === undefined) return {};
    // Shared by all who ask meanwhile: the keychain may be asking the user.
    if (this.#cache?.stamp !== stamp) this.#cache = { stamp, credentials: this.#readFile() };
    const cached = this.#cache;
    try {
      return await cached.credentials;
    } catch (fault) {
      if (this.#cache === cached) this.#cache = undefined;
      // Another process has moved the key in between.
      if (this.#stamp() !== stamp) return this.read();
      throw fault;
    }
  }

  async #readFile(): Promise<Credentials> {
    const sealed = await this.#sealed();
    return sealed ? this.#open(sealed, await this.#key(sealed.key)) : {};
  }

  /** Changes are whole new files, so that the inode and the time tell them apart. Asked before every request: a thread would take longer. */
  #stamp(): string | undefined {
    try {
      const found = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
      return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
    } catch (fault) {
      throw errors.create('MODELS_VAULT_DAMAGED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
  }

  /**
   * Changes the credentials while no other process does. Gives what is stored afterwards. With `moveKey` the key goes to a store that is
   * preferred and works by now.
   */
  async update(
    change: (credentials: Credentials) => Credentials | Promise<Credentials>,
    { moveKey = false }: { readonly moveKey?: boolean } = {},
  ): Promise<Credentials> {
    const work = async () => {
      const sealed = await this.#sealed();
      const present = sealed && { kind: sealed.key, key: await this.#key(sealed.key) };
      const before = sealed && present ? this.#open(sealed, present.key) : {};
      const after = await change(before);
      if (after === before) return after;
      const better = present && moveKey ? await this.#betterKey(present.kind) : undefined;
      await this.#write(after, better ?? present ?? (await this.#newKey()));
      const stamp = this.#stamp();
      this.#cache = stamp === undefined ? undefined : { stamp, credentials: Promise.resolve(after) };
      if (present && better) await this.#source(present.kind)?.forget?.();
      return after;
    };
    // The holder of the lock may be waiting for the user to unlock the keychain.
    return withLock(this.#file, work, { waitMs: 100_000 });
  }

  async #sealed(): Promise<Sealed | undefined> {
    try {
      const text = await readText(this.#file);
      if (text === undefined) return undefined;
      const sealed = JSON.parse(text) as Sealed;
      if (sealed.version !== 1) throw new Error(`its version ${String(sealed.version)} is unknown`);
      return sealed;
    } catch (fault) {
      throw errors.create('MODELS_VAULT_DAMAGED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
  }

  #open(sealed: Sealed, key: Buffer): Credentials {
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

  #source(kind: MasterKeySource['kind']): MasterKeySource | undefined {
    return this.#sources.find((candidate) => candidate.kind === kind);
  }

  async #key(kind: MasterKeySource['kind']): Promise<Buffer> {
    const failed = (reason: string, advice: string, cause?: unknown) =>
      errors.create('MODELS_VAULT_KEY', { file: this.#file, reason, advice }, cause);
    const again = 'or move the file away and log in again';
    const source = this.#source(kind);
    if (!source)
      throw failed(
        `their key is kept by the ${kind}, which the settings exclude`,
        `Allow both places with \`tenon config set models.credentialStore auto\`, ${again}.`,
      );
    let key: Buffer | undefined;
    try {
      key = await source.read();
    } catch (fault) {
      const advice = kind === 'keychain' ? 'Unlock the keychain of your desktop session' : 'Correct the key file';
      throw failed(`their key cannot be read from the ${kind}: ${messageOf(fault)}`, `${advice}, ${again}.`, fault);
    }
    if (key) return key;
    throw failed(`their key is not in the ${kind} any more`, `Restore the ${kind} from a backup, ${again}.`);
  }

  async #write(credentials: Credentials, { key, kind: keptBy }: HeldKey): Promise<void> {
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
    await replaceFile(this.#file, `${JSON.stringify(sealed)}\n`);
  }

  /** A key from the first store that works: without a desktop session there is no keychain. */
  async #newKey(): Promise<HeldKey> {
    const reasons: string[] = [];
    for (const source of this.#sources) {
      try {
        const key = await source.create();
        if (reasons.length > 0) this.#onFallback(reasons.join('; '));
        return { key, kind: source.kind };
      } catch (fault) {
        reasons.push(messageOf(fault));
      }
    }
    const advice = 'Unlock the keychain, or allow a key file: `tenon config set models.credentialStore file`.';
    throw errors.create('MODELS_VAULT_KEY', { file: this.#file, reason: reasons.join('; '), advice });
  }

  /** A key from a store that is preferred to the present one, if one works now. */
  async #betterKey(present: MasterKeySource['kind']): Promise<HeldKey | undefined> {
    const rank = this.#sources.findIndex(({ kind }) => kind === present);
    for (const source of this.#sources.slice(0, rank)) {
      try {
        return { key: await source.create(), kind: source.kind };
      } catch {
        continue; // The present store serves on. Why it was not the first choice was said when it was chosen.
      }
    }
    return undefined;
  }
}

const bytes = (text: string) => Buffer.from(text, 'base64');

function derive(key: Buffer, salt: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, bytes(salt), 'tenon credentials', 32));
}
