/** What one path held: its kind, its permissions, and where its content is kept. */
import { STAT_BYTES } from '@tenon/native';

/** What stands at a path. */
export type EntryKind = 'file' | 'link' | 'folder' | 'other';

/** Why a content is not in the store. */
export type Unkept = 'large' | 'unreadable' | 'changing' | 'full' | 'pending' | 'special' | 'ignored';

/** What one path held at one moment. */
export interface Entry {
  readonly kind: EntryKind;
  /** All permission bits. */
  readonly mode: number;
  readonly size: number;
  /** The SHA-256 of a file's content, which is in the store. */
  readonly hash?: string;
  /** Where a link leads, one character per byte. */
  readonly target?: string;
  /** Set when the content could not be kept. */
  readonly unkept?: Unkept;
  /** Tells whether a file whose content is unknown is still the same. */
  readonly stamp?: string;
}

/** A path with what it held before and after; nothing where it did not exist. */
export interface Change {
  readonly path: string;
  readonly before?: Entry;
  readonly after?: Entry;
}

const KIND_MASK = 0o170_000;
const KINDS: Readonly<Record<number, EntryKind>> = { 0o100_000: 'file', 0o120_000: 'link', 0o040_000: 'folder' };

/** The facts of one entry in a packed list of stats. */
export class PackedStat {
  readonly #stats: Buffer;
  readonly #at: number;

  constructor(stats: Buffer, index: number) {
    this.#stats = stats;
    this.#at = index * STAT_BYTES;
  }

  get kind(): EntryKind {
    return KINDS[this.#stats.readUInt32LE(this.#at + 32) & KIND_MASK] ?? 'other';
  }
  get mode(): number {
    return this.#stats.readUInt32LE(this.#at + 32) & 0o7777;
  }
  get size(): number {
    return Number(this.#stats.readBigUInt64LE(this.#at));
  }
  get modifiedNs(): bigint {
    return this.#stats.readBigInt64LE(this.#at + 8);
  }
  get changedNs(): bigint {
    return this.#stats.readBigInt64LE(this.#at + 16);
  }
  get isIgnored(): boolean {
    return (this.#stats.readUInt32LE(this.#at + 36) & 1) === 1;
  }
  /** Size, times and inode in one word. */
  get stamp(): string {
    return this.#stats.toString('base64', this.#at, this.#at + 32);
  }
}

/** Whether two moments of a path are the same in everything that undo restores. */
export function isSame(left: Entry | undefined, right: Entry | undefined): boolean {
  if (!left || !right) return left === right;
  if (left.kind !== right.kind) return false;
  // Links have no permissions of their own.
  if (left.kind === 'link') return left.target === right.target;
  if (left.mode !== right.mode) return false;
  if (left.kind === 'folder') return true;
  if (left.hash !== undefined && right.hash !== undefined) return left.hash === right.hash;
  return left.stamp !== undefined && left.stamp === right.stamp;
}

/** Whether the entry can be put back. */
export function isKept(entry: Entry): boolean {
  return entry.kind === 'folder' || entry.hash !== undefined || entry.target !== undefined;
}

const NOT_KEPT: Readonly<Record<Unkept, string>> = {
  large: 'larger than `undo.maxFileBytes`',
  unreadable: 'cannot be read',
  changing: 'changed while it was read',
  full: 'the store has reached `undo.maxBytes`',
  pending: 'the first snapshot had not come to it yet',
  special: 'no regular file',
  ignored: 'ignored by git, and too large to be kept all the same',
};

/** Why a content was not kept, in words. */
export function whyUnkept(entry: Entry): string {
  return NOT_KEPT[entry.unkept ?? 'special'];
}
