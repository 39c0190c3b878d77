/** A process that needs a token: waits for the others, then asks for it and prints it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LayeredAuthStore } from '../../src/auth/auth-store.ts';
import { keyFile } from '../../src/auth/master-key.ts';
import { CredentialVault } from '../../src/auth/vault.ts';

const [, , folder = '', name = '', tokenUrl = ''] = process.argv;
const oauth = { authorizeUrl: tokenUrl, tokenUrl };
const store = new LayeredAuthStore({
  vault: new CredentialVault(join(folder, 'credentials.json'), [keyFile(join(folder, 'key'))]),
  env: {},
  modelsFile: 'models.yml',
  endpoints: async () => new Map([['acme', { name: 'Acme', api: 'x', oauth }]]),
  report: () => undefined,
});
writeFileSync(join(folder, `ready-${name}`), '');
while (!existsSync(join(folder, 'go'))) await sleep(5);
process.stdout.write(`${(await store.keys('acme')).join(' ')}\n`);
