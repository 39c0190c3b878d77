/** Takes a name and lets it go, again and again; prints how often the name was free although it was held. */
import { existsSync } from 'node:fs';
import { hold } from '../../src/held-places.ts';

const [, , path = '', registry = ''] = process.argv;
let lost = 0;
for (let round = 0; round < 400; round++) {
  const release = hold({ path }, registry);
  for (let look = 0; look < 20; look++) if (!existsSync(path)) lost++;
  release();
}
process.stdout.write(String(lost));
