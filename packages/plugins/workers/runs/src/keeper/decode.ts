/** Turns bytes of a file that still grows into text, without cutting a character. */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many bytes a character has that begins with this one; 1 where it begins none. */
function lengthFrom(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 1;
}

/** How many of the bytes can be decoded without knowing what comes: all but a character that has only begun. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return lengthFrom(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Decodes bytes; what is no UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
