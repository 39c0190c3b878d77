/** Packages of npm registries: found, fetched, checked against their hash, and kept. Nothing of them runs. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@tenon/state-files';
import { errors } from '../errors.ts';
import type { SourceRules } from '../catalogue/sources.ts';
import { sha256 } from '../tree/file-list.ts';
import { requireDownload, download } from './http.ts';
import type { NpmConfig } from './npm-config.ts';

/** A package at one version. */
export interface NpmPin {
  readonly package: string;
  readonly version: string;
  /** `sha512-…`, as npm writes it. */
  readonly integrity: string;
  /** Absent for the registry that npm uses for the package. */
  readonly registry?: string;
}

/** What is wanted of a registry. */
export interface NpmWanted {
  readonly package: string;
  /** A version, a range or a tag; the newest if absent. */
  readonly version?: string;
  readonly registry?: string;
}

/** A version as the registry describes it. */
interface Dist {
  readonly tarball: string;
  readonly integrity?: string;
  readonly shasum?: string;
  readonly signatures?: readonly { readonly keyid: string; readonly sig: string }[];
}

/** A package that was found. */
export interface NpmFound {
  readonly version: string;
  readonly dist: Dist;
  readonly registry: string;
}

/** How to get it. */
export interface NpmOptions {
  readonly signal: AbortSignal;
  readonly offline: boolean;
  readonly reach: SourceRules['reach'];
}

const MAX_DOCUMENT = 64 * 1024 * 1024;
const STRENGTH = ['sha512', 'sha384', 'sha256'] as const;

/** All packages of a user. */
export class NpmCache {
  readonly #folder: string;
  readonly #config: () => Promise<NpmConfig>;
  readonly #limits: { readonly maxBytes: number; readonly timeoutMs: number };

  constructor(folder: string, config: () => Promise<NpmConfig>, limits: { maxBytes: number; timeoutMs: number }) {
    this.#folder = folder;
    this.#config = config;
    this.#limits = limits;
  }

  /** Finds the version that is meant. Offline, the one that was found last time. */
  async find(wanted: NpmWanted, options: NpmOptions): Promise<NpmFound> {
    const config = await this.#config();
    const registry = wanted.registry ?? (await config.registryFor(wanted.package));
    const file = join(
      this.#folder,
      `${sha256(JSON.stringify([registry, wanted.package, wanted.version ?? ''])).slice(0, 32)}.json`,
    );
    if (options.offline) {
      const known = await readFile(file, 'utf8').catch(() => undefined);
      if (known === undefined) throw errors.create('MARKETPLACE_OFFLINE', { what: `npm:${wanted.package}` });
      return JSON.parse(known) as NpmFound;
    }
    const url = `${registry.replace(/\/*$/, '/')}${wanted.package.replace('/', '%2f')}`;
    const bytes = await requireDownload({
      ...this.#request(url, MAX_DOCUMENT, options),
      headers: (address) => ({
        accept: 'application/vnd.npm.install-v1+json, application/json',
        ...config.headersFor(address),
      }),
    });
    const resolved = { registry, ...(await chooseVersion(wanted, bytes)) };
    await replaceFile(file, JSON.stringify(resolved));
    return resolved;
  }

  /** The packed archive, checked against the hash. Takes the one that is here if there is one. */
  async archive(name: string, found: NpmFound, options: NpmOptions): Promise<{ packed: Buffer; integrity: string }> {
    const { dist } = found;
    const expected = dist.integrity ?? dist.shasum;
    if (expected === undefined) throw invalid(name, 'the registry gives no hash for it');
    const file = join(this.#folder, `${sha256(expected)}.tgz`);
    const kept = await readFile(file).catch(() => undefined); // not in the cache: fetched
    if (kept !== undefined && hashProblem(kept, dist) === undefined) return { packed: kept, integrity: sha512(kept) };
    if (options.offline) throw errors.create('MARKETPLACE_OFFLINE', { what: `npm:${name}@${found.version}` });
    const config = await this.#config();
    const request = this.#request(dist.tarball, this.#limits.maxBytes, options);
    const packed = await requireDownload({ ...request, headers: (address) => config.headersFor(address) });
    const problem = hashProblem(packed, dist);
    if (problem !== undefined)
      throw errors.create('MARKETPLACE_INTEGRITY', { what: `npm:${name}@${found.version}`, reason: problem });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, packed);
    return { packed, integrity: sha512(packed) };
  }

  /** The archive of a pin, whatever the registry says about the version now. */
  async pinned(pin: NpmPin, options: NpmOptions): Promise<Buffer> {
    const file = join(this.#folder, `${sha256(pin.integrity)}.tgz`);
    const kept = await readFile(file).catch(() => undefined); // not in the cache: fetched
    if (kept !== undefined && sha512(kept) === pin.integrity) return kept;
    const { package: name, version, registry } = pin;
    const resolved = await this.find({ package: name, version, ...(registry !== undefined && { registry }) }, options);
    const { packed, integrity } = await this.archive(name, resolved, options);
    if (integrity === pin.integrity) return packed;
    const reason = `${version} has the hash ${integrity}, and ${pin.integrity} is pinned`;
    throw errors.create('MARKETPLACE_INTEGRITY', { what: `npm:${name}`, reason });
  }

  /** Checks the registry's own signature. Gives what can be said about it; a bad one is an error. */
  async signature(
    name: string,
    { dist, version, registry }: NpmFound,
    options: NpmOptions,
  ): Promise<string | undefined> {
    const signatures = dist.signatures ?? [];
    if (signatures.length === 0 || dist.integrity === undefined || options.offline) return undefined;
    const what = `npm:${name}@${version}`;
    const config = await this.#config();
    const request = this.#request(`${registry.replace(/\/*$/, '/')}-/npm/v1/keys`, 1024 * 1024, options);
    const answer = await download({ ...request, headers: (address) => config.headersFor(address) });
    // Mirrors pass signatures on, but not always the keys.
    if (answer === undefined) return undefined;
    const { keys } = JSON.parse(answer.toString()) as { keys?: { keyid: string; key: string }[] };
    const text = Buffer.from(`${name}@${version}:${dist.integrity}`);
    for (const { keyid, sig } of signatures) {
      const key = keys?.find((candidate) => candidate.keyid === keyid)?.key;
      if (key === undefined)
        throw errors.create('MARKETPLACE_SIGNATURE', { what, reason: `nobody knows the key ${keyid}` });
      const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
      if (!verify('sha256', text, publicKey, Buffer.from(sig, 'base64')))
        throw errors.create('MARKETPLACE_SIGNATURE', { what, reason: `it does not fit the key ${keyid}` });
    }
    return `signed by its registry (${signatures.map(({ keyid }) => keyid).join(', ')})`;
  }

  #request(url: string, maxBytes: number, { signal, reach }: NpmOptions) {
    // The user's own registry may be on this machine, whoever wrote the catalogue.
    return {
      url,
      maxBytes,
      signal,
      timeoutMs: this.#limits.timeoutMs,
      reach: reach === 'remote' ? 'loopback' : reach,
    } as const;
  }
}

async function chooseVersion(wanted: NpmWanted, bytes: Buffer): Promise<{ version: string; dist: Dist }> {
  const { package: name, version: range } = wanted;
  let document: {
    versions?: Record<string, { dist?: Dist; deprecated?: unknown }>;
    'dist-tags'?: Record<string, string>;
  };
  try {
    document = JSON.parse(bytes.toString());
  } catch (fault) {
    throw errors.create('MARKETPLACE_NPM_INVALID', { package: name, reason: 'the registry gave no JSON' }, fault);
  }
  const { versions = {}, 'dist-tags': tags = {} } = document;
  const { maxSatisfying, satisfies } = await import('./semver.ts');
  const latest = tags['latest'];
  const tagged = range === undefined ? latest : Object.hasOwn(versions, range) ? range : tags[range];
  const preferred = latest !== undefined && range !== undefined && satisfies(latest, range) ? latest : undefined;
  const version = tagged ?? preferred ?? maxSatisfying(Object.keys(versions), range ?? '*') ?? undefined;
  const dist = version !== undefined && Object.hasOwn(versions, version) ? versions[version]?.dist : undefined;
  if (version === undefined || typeof dist?.tarball !== 'string')
    throw invalid(name, `the registry has no version ${range ?? 'of it'}`);
  return { version, dist };
}

function hashProblem(packed: Uint8Array, { integrity, shasum }: Dist): string | undefined {
  if (integrity === undefined) {
    const actual = createHash('sha1').update(packed).digest('hex');
    return actual === shasum ? undefined : `its SHA-1 is ${actual}, and ${shasum} was announced`;
  }
  const hashes = integrity.trim().split(/\s+/);
  const algorithm = STRENGTH.find((name) => hashes.some((hash) => hash.startsWith(`${name}-`)));
  if (algorithm === undefined) return `its hash ${integrity} is of an unknown kind`;
  const actual = `${algorithm}-${createHash(algorithm).update(packed).digest('base64')}`;
  return hashes.includes(actual) ? undefined : `its hash is ${actual}, and ${integrity} was announced`;
}

function sha512(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function invalid(name: string, reason: string) {
  return errors.create('MARKETPLACE_NPM_INVALID', { package: name, reason });
}
