/** Vectors as they are kept and compared. As text: the database driver takes no bytes. */

/** The vector with the length 1, as base64 of 32-bit numbers. */
export function packed(vector: readonly number[]): string {
  const length = Math.hypot(...vector) || 1;
  return Buffer.from(Float32Array.from(vector, (value) => value / length).buffer).toString('base64');
}

/** How near two packed vectors are: 1 is the same direction. Vectors of different lengths are not near. */
export function nearness(one: string, other: string): number {
  const [a, b] = [unpacked(one), unpacked(other)];
  if (a.length !== b.length) return -1;
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function unpacked(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
