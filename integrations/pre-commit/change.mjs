/** Passes a diff on. Of one that is too large for a prompt the largest files are left out, and named. */
import { plain } from '../plain.mjs';

const MOST_BYTES = 400 * 1024;

// Tenon may end without reading it all, and says why.
process.stdout.on('error', (fault) => {
  if (fault.code !== 'EPIPE') throw fault;
});
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
// One letter for each byte: files may be of any encoding.
const files = Buffer.concat(chunks)
  .toString('latin1')
  .split(/^(?=diff --git )/m);

let size = files.reduce((sum, file) => sum + file.length, 0);
const tooLarge = new Set();
for (const file of [...files].sort((a, b) => b.length - a.length)) {
  if (size <= MOST_BYTES) break;
  tooLarge.add(file);
  size -= file.length;
}
const parts = files.map((file) => {
  if (!tooLarge.has(file)) return file;
  const [line] = file.split('\n', 1);
  // Git names a file twice; both names are shown where they differ.
  const [, names = line] = /^diff --git (.*)/.exec(line) ?? [];
  const [, once = names] = /^a\/(.*) b\/\1$/.exec(names) ?? [];
  const name = Buffer.from(once, 'latin1').toString();
  process.stderr.write(`Tenon does not see a change that is too large: ${plain(name)}\n`);
  return `${line.slice(0, 1_000)}\n(left out: ${file.length} bytes)\n`;
});
process.stdout.write(Buffer.from(parts.join(''), 'latin1'));
