/** Finds what looks like a secret, in one pass over a text: about four milliseconds for a megabyte. */
import { assignedAt, NAME_WORDS } from './assignments.ts';
import { CREDENTIAL_ANCHORS, credentialAt, type CredentialMatch } from './credentials.ts';

/** A text that something may begin with. `find` looks at what follows. */
interface Start {
  readonly text: string;
  readonly caseless: boolean;
  find(text: string, start: number, anchor: string): CredentialMatch | undefined;
}

const STARTS: readonly Start[] = [
  ...CREDENTIAL_ANCHORS.map((text) => ({ text, caseless: false, find: credentialAt })),
  ...NAME_WORDS.map((text) => ({ text, caseless: true, find: assignedAt })),
];

/** Fifteen bits of the last three characters, letters of both cases alike. */
const SLOTS = 1 << 15;
const BY_SLOT = new Map<number, readonly Start[]>();
const IS_START = new Uint8Array(SLOTS);
for (const start of STARTS) {
  let slot = 0;
  for (let at = 0; at < 3; at++) slot = nextSlot(slot, start.text.charCodeAt(at));
  IS_START[slot] = 1;
  BY_SLOT.set(slot, [...(BY_SLOT.get(slot) ?? []), start]);
}

function nextSlot(slot: number, code: number): number {
  return ((slot << 5) ^ (code | 0x20)) & (SLOTS - 1);
}

/**
 * So many characters of a run of letters, digits, `_` and `-` are looked at for starts. What stands deeper in one begins no
 * credential, and each start there would read the whole rest of the run: `-eyJ-eyJ-eyJ…`.
 */
const MAX_DEPTH = 64;

/** The secrets that a text seems to hold. They may overlap. */
export function detectedSecrets(text: string): CredentialMatch[] {
  const found: CredentialMatch[] = [];
  let slot = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    slot = ((slot << 5) ^ (code | 0x20)) & (SLOTS - 1);
    run = IS_RUN[code] === 1 ? run + 1 : 0;
    if (IS_START[slot] === 1) look(text, at - 2, slot, run > MAX_DEPTH, found);
  }
  return found;
}

/** By character code: what names and most credentials are made of. */
const IS_RUN = new Uint8Array(1 << 16);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-')
  IS_RUN[character.charCodeAt(0)] = 1;

function look(text: string, from: number, slot: number, isDeep: boolean, found: CredentialMatch[]): void {
  for (const { text: anchor, caseless, find } of BY_SLOT.get(slot) ?? []) {
    if (isDeep && !caseless) continue;
    const isHere = caseless
      ? text.slice(from, from + anchor.length).toLowerCase() === anchor
      : text.startsWith(anchor, from);
    const match = from >= 0 && isHere ? find(text, from, anchor) : undefined;
    if (match) found.push(match);
  }
}
