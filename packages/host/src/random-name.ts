/** How many letters one number gives. */
const LETTERS = 8;

/**
 * Random hexadecimal letters, two for each byte: for names that must differ and need not be secret. Node's cryptography
 * gives no better ones, and takes longer to load than a session to begin.
 */
export function randomName(bytes: number): string {
  let name = '';
  while (name.length < bytes * 2) {
    name += Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(LETTERS, '0');
  }
  return name.slice(0, bytes * 2);
}
