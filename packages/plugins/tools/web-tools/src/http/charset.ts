/** Bytes to text, by what the server, the file and its first lines say about their encoding. */

/** A text, and what should be known about how it was read. */
export interface Decoded {
  readonly text: string;
  readonly notes: readonly string[];
}

const LOOK_BYTES = 4096;

/** Decodes a body. `contentType` is the header; marks at the start of the bytes win over it. */
export function decodeText(bytes: Uint8Array, contentType: string): Decoded {
  const label = byteOrderMark(bytes) ?? fromHeader(contentType) ?? fromContent(bytes, contentType) ?? 'utf-8';
  const notes: string[] = [];
  return { text: decoderFor(label, notes).decode(bytes), notes };
}

function decoderFor(encoding: string, notes: string[]) {
  try {
    return new TextDecoder(encoding);
  } catch {
    notes.push(`The encoding "${encoding.slice(0, 40)}" is not known; read as UTF-8.`);
    return new TextDecoder('utf-8');
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

function fromHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w:.-]+)"?/i.exec(contentType)?.[1];
}

/** `<meta charset>`, `<meta http-equiv>` and `<?xml encoding?>` are written in ASCII, whatever follows. */
function fromContent(bytes: Uint8Array, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LOOK_BYTES)).toString('latin1');
  const declaration =
    /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/i.exec(head)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?\s*([\w.-]+)/i.exec(head)?.[1];
  // A page that can be read byte by byte cannot be in UTF-16, whatever it says.
  return declaration && /^utf-16/i.test(declaration) ? 'utf-8' : declaration;
}

/** True when most of the bytes could be text. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (byteOrderMark(bytes) !== undefined) return true;
  const head = bytes.subarray(0, LOOK_BYTES);
  let odd = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++;
  }
  return odd <= head.length / 50;
}
