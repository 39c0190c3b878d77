/** Shows an answer; the exit code is 1 when it holds the text that is not to be in it. */
import { readFileSync } from 'node:fs';
import { plain } from '../plain.mjs';

const [file = '', failOn = ''] = process.argv.slice(2);
const answer = readFileSync(file, 'utf8');
process.stdout.write(plain(answer));
if (failOn !== '' && answer.includes(failOn)) process.exitCode = 1;
