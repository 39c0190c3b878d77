/** Shows a verdict; the exit code is 1 when the commit must not be made. */
import { readFileSync } from 'node:fs';
import { plain } from '../plain.mjs';

const { verdict, findings } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
for (const { file, line, text } of findings) {
  process.stderr.write(`${plain(file)}${line === undefined ? '' : `:${line}`}: ${plain(text)}\n`);
}
if (verdict === 'fail') {
  process.stderr.write('Tenon stops this commit. To make it all the same: git commit --no-verify\n');
  process.exitCode = 1;
}
