/** The parts of an office file, which is a zip file of XML. */
import { posix } from 'node:path';
import { createArchives } from '../archive/archives.ts';
import { errors } from '../errors.ts';
import { walkXml } from './xml.ts';

/** No part of a document that people wrote is larger. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
/** All parts that are read together. */
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

/** Parts by name. */
export interface Parts {
  readonly names: readonly string[];
  /** The text of a part, or undefined when there is none of that name. */
  text(name: string): Promise<string | undefined>;
  /** Where the links of a part lead: id -> name of the part, or address. */
  relations(name: string): Promise<ReadonlyMap<string, string>>;
}

/** Opens the parts. Nothing is unpacked before it is asked for. */
export async function openParts(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<Parts> {
  const archive = await createArchives().open(bytes, { signal });
  const entries = new Map(archive.entries.map((entry) => [entry.name, entry]));
  let total = 0;
  const text = async (part: string): Promise<string | undefined> => {
    const entry = entries.get(part);
    if (!entry) return undefined;
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of archive.read(entry, signal)) {
      size += piece.length;
      total += piece.length;
      if (size > MAX_PART_BYTES || total > MAX_TOTAL_BYTES) {
        throw errors.create('DOCUMENTS_TOO_LARGE', { name, reason: `its part ${part} has more than 64 MB` });
      }
      pieces.push(piece);
    }
    return decodeText(Buffer.concat(pieces));
  };
  return {
    names: archive.entries.map((entry) => entry.name),
    text,
    async relations(part) {
      const targets = new Map<string, string>();
      const file = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
      const open = (_: string, { Id: id, Target: target, TargetMode: mode }: Record<string, string | undefined>) => {
        if (id === undefined || target === undefined) return;
        const isPart = mode !== 'External';
        const local = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target);
        targets.set(id, isPart ? local : target);
      };
      await walkXml((await text(file)) ?? '', { open }, signal);
      return targets;
    },
  };
}

function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0);
}
