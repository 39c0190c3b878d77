/** Masks what a tool has written to a file for reading later: the whole of an output that is too long for a conversation. */
import { open, rename, rm } from 'node:fs/promises';

/** Whole lines, as far as possible, of this many bytes at a time. */
const PIECE_BYTES = 4 * 1024 * 1024;
const NEWLINE = '\n'.charCodeAt(0);
/** Where a long line is cut: no credential and no name with its value goes over one of these. */
const SEPARATORS = [...',;&}'].map((sign) => sign.charCodeAt(0));

/** Replaces a file by one without secrets. It stays as it is when it holds none. */
export async function maskFile(path: string, mask: (text: string) => string): Promise<void> {
  const from = await open(path, 'r');
  const masked = `${path}.masked`;
  let changed = false;
  try {
    const to = await open(masked, 'w', 0o600);
    try {
      let rest = Buffer.alloc(0);
      for (;;) {
        const { bytesRead, buffer } = await from.read({ buffer: Buffer.alloc(PIECE_BYTES) });
        const all = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        const end = bytesRead === 0 ? all.length : endOfPiece(all);
        const text = all.toString('utf8', 0, end);
        const clean = mask(text);
        changed ||= clean !== text;
        await to.writeFile(clean === text ? all.subarray(0, end) : clean);
        rest = Buffer.from(all.subarray(end));
        if (bytesRead === 0) break;
      }
    } finally {
      await to.close();
    }
    if (changed) await rename(masked, path);
  } finally {
    await from.close();
    await rm(masked, { force: true });
  }
}

function endOfPiece(bytes: Buffer): number {
  const line = bytes.lastIndexOf(NEWLINE) + 1;
  return line || Math.max(...SEPARATORS.map((sign) => bytes.lastIndexOf(sign))) + 1 || bytes.length;
}
