/** Programs for tests: shell scripts in a folder of their own. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';

/** Makes a program; gives a PATH with it and what scripts need. */
export function program(name: string, script: string): string {
  const folder = temporaryFolder('program');
  putFiles(folder, { [name]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, name), 0o755);
  return `${folder}:/usr/bin:/bin`;
}
