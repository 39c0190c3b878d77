import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startFakeLogins } from '@tenon/model-fakes';
import { buildProgram } from '@tenon/test-kit/built-program';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';
import { keyFile } from '../src/auth/master-key.ts';
import { login } from '../src/auth/oauth.ts';
import { CredentialVault } from '../src/auth/vault.ts';

it(
  'processes that need a new token at once get one and the same, and the login lives on',
  { timeout: patientLimit(120_000) },
  async () => {
    const program = await buildProgram(join(import.meta.dirname, 'support', 'renewing-child.ts'));
    const logins = await startFakeLogins({ modelsUrl: 'http://127.0.0.1:9', gitlabPort: 0 });
    const folder = await mkdtemp(join(tmpdir(), 'tenon-renewing-'));
    try {
      // Any free port will do here: GitLab's own is checked elsewhere.
      const { gitlab } = logins;
      Object.assign(gitlab.options, { redirect: () => true });
      const tokenUrl = `${logins.url}/gitlab/oauth/token`;
      const spec = { authorizeUrl: `${logins.url}/gitlab/oauth/authorize`, tokenUrl, clientId: 'own-application' };
      const show = async (url: string) => void fetch(url).then((response) => response.text());
      const credential = await login('acme', spec, { show, signal: new AbortController().signal });
      const vault = new CredentialVault(join(folder, 'credentials.json'), [keyFile(join(folder, 'key'))]);
      await vault.update(() => ({ acme: [{ ...credential, expiresAt: Date.now() } as typeof credential] }));
      const names = ['a', 'b', 'c'];
      const children = names.map((name) => promisify(execFile)(process.execPath, [program, folder, name, tokenUrl]));
      await until(
        () => names.every((name) => existsSync(join(folder, `ready-${name}`))),
        'all children are ready',
        60_000,
      );
      await writeFile(join(folder, 'go'), '');
      const tokens = (await Promise.all(children)).map(({ stdout }) => stdout.trim());
      expect(new Set(tokens).size).toBe(1);
      expect(gitlab.access.has(tokens[0])).toBe(true);
      // A refresh token that is used twice would have ended the login.
      expect(gitlab.renewals).toBe(1);
    } finally {
      await logins.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
