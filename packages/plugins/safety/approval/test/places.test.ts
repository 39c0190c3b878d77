import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import { lookThrough, touch } from '../src/judge/places.ts';
import { Policies } from '../src/policy/policies.ts';
import { makeHome } from './support.ts';

/** Files with keys; those who look through what holds them find them. */
const SECRETS = [
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.vault-token',
  '.ssh/id_rsa',
  '.gnupg/private-keys',
  '.aws/credentials',
  '.azure/token',
  '.kube/config',
  '.docker/config.json',
  '.password-store/key',
  '.cargo/credentials.toml',
  '.config/gh/hosts.yml',
  '.config/gcloud/token',
  '.config/op/token',
  '.config/rclone/rclone.conf',
  '.config/sops/keys',
  '.local/share/keyrings/login',
  '.mozilla/logins',
  '.thunderbird/logins',
  '.config/google-chrome/cookies',
  '.config/chromium/cookies',
  '.config/BraveSoftware/cookies',
  'Library/Keychains/login',
  'Library/Cookies/cookies',
];
const home = makeHome();
afterAll(() => home.remove());
const { cwd, home: user, config } = home.folders;
const tier = (kind: Parameters<typeof touch>[0], path: string) => touch(kind, path, home.world).tier;
const judge = async (command: string, env: Record<string, string> = {}) =>
  worstTier((await assessCommand({ command, cwd, env }, home.world)).findings);

describe('places', () => {
  it('inside of the workspace may be written, outside of it ask, and the system is dangerous', () => {
    expect(tier('write', join(cwd, 'a.ts'))).toBe(1);
    expect(tier('write', join(user, 'a.ts'))).toBe(2);
    expect(tier('write', '/etc/hosts')).toBe(3);
    expect(tier('read', '/etc/hosts')).toBe(0);
  });

  it('that look as if they were inside count where links lead', () => {
    mkdirSync(join(user, 'elsewhere'));
    symlinkSync(join(user, 'elsewhere'), join(cwd, 'link'));
    expect(tier('write', join(cwd, 'link', 'new', 'file'))).toBe(2);
    expect(tier('delete-tree', join(cwd, 'link'))).toBe(3);
    symlinkSync('../elsewhere/not-yet', join(cwd, 'dangling'));
    symlinkSync('circle', join(cwd, 'circle'));
    expect(tier('write', join(cwd, 'dangling'))).toBe(2);
    expect(tier('write', join(cwd, 'circle'))).toBe(1);
  });

  it('are worse when a folder beside the workspace only has a similar name', () => {
    expect(tier('write', `${cwd}-other/file`)).toBe(2);
  });

  it('with configuration of version control, Tenon and other agents are protected, also in folders below', () => {
    for (const path of [
      '.git/config',
      'sub/.git/hooks/x',
      '.tenon/settings.yml',
      '.claude/x',
      '.codex/config.toml',
      '.mcp.json',
    ]) {
      expect(tier('write', join(cwd, path)), path).toBe(2);
    }
    expect(tier('write', join(cwd, '.gitignore'))).toBe(1);
    expect(tier('write', join(cwd, '.github/workflows/ci.yml'))).toBe(1);
  });

  it('are protected in capital letters, too: many file systems do not tell them apart', () => {
    for (const path of ['.GIT/hooks/pre-commit', 'sub/.Claude/settings.json', '.MCP.json'])
      expect(tier('write', join(cwd, path)), path).toBe(2);
    expect(tier('write', join(cwd, '.TENON', 'Policy.yml'))).toBe(3);
    expect(tier('read', join(user, '.SSH', 'id_ed25519'))).toBe(2);
    expect(tier('read', join(user.toUpperCase(), '.aws', 'credentials'))).toBe(2);
    expect(tier('read', join(user, '.Bash_History'))).toBe(2);
  });

  it('of Tenon itself are dangerous, because whoever writes there answers its own questions', () => {
    expect(tier('write', join(config, 'policy.yml'))).toBe(3);
    expect(tier('write', join(cwd, '.tenon', 'policy.yml'))).toBe(3);
    expect(tier('read', join(home.folders.data, 'auth.json'))).toBe(2);
  });

  it('inside of Tenon are ordinary when the workspace is there, as worktrees are', () => {
    const workspace = join(home.folders.data, 'worktrees', 'a');
    expect(touch('write', join(workspace, 'x.ts'), { ...home.world, workspace }).tier).toBe(1);
    expect(touch('write', join(home.folders.data, 'trust.json'), { ...home.world, workspace }).tier).toBe(3);
  });

  it('with credentials ask before they are read', () => {
    expect(tier('read', join(user, '.ssh', 'id_ed25519'))).toBe(2);
    expect(tier('read', join(user, '.ssh', 'id_ed25519.pub'))).toBe(0);
    expect(tier('read', join(user, '.aws', 'credentials'))).toBe(2);
    for (const of of ['self', '17', 'thread-self', 'self/task/17'])
      expect(tier('read', `/proc/${of}/environ`), of).toBe(2);
  });
});

describe('the folder around a protected place', () => {
  const world = {
    ...home.world,
    places: { ...home.world.places, runsCode: [...home.world.places.runsCode, './.github/mcp.json'] },
  };
  const at = (...names: string[]) => join(world.workspace, ...names);

  it('is not moved without a question, whether the place is there or not', () => {
    for (const path of [at('.github'), at('sub', '.github'), at('.GitHub')])
      expect(touch('move', path, world).tier, path).toBe(2);
    for (const path of [at('github'), at('.github', 'workflows'), at('src')])
      expect(touch('move', path, world).tier, path).toBe(1);
    expect(touch('write', at('.github', 'workflows', 'ci.yml'), world).tier).toBe(1);
    expect(touch('move', at('.git'), world).tier).toBeGreaterThan(1);
  });

  it('is not deleted without a question where the place is there', () => {
    expect(touch('delete', at('.github'), world).tier).toBe(1);
    mkdirSync(at('.github', 'mcp.json'), { recursive: true });
    expect(touch('delete', at('.github'), world).tier).toBe(2);
  });
});

describe('what is looked through', () => {
  const through = (path: string) => lookThrough(path, home.world)?.tier;
  it('asks when credentials are below it, also as a glob and behind a link', () => {
    mkdirSync(join(user, '.ssh'), { recursive: true });
    symlinkSync(user, join(cwd, 'up'));
    for (const path of [user, '/', join(user, '.s*/**'), join(user, '*'), join(user, '.ssh'), join(cwd, 'up')])
      expect(through(path), path).toBe(2);
    for (const path of [cwd, join(cwd, '**/*.ts'), join(cwd, 'src'), '/usr/include', join(user, 'elsewhere')])
      expect(through(path), path).toBeUndefined();
  });

  it('knows files that are secret', () => {
    for (const place of home.world.places.secrets.filter((one) => one.startsWith('~/')))
      expect(tier('read', join(user, place.slice(2).replace('*', '.toml'))), place).toBe(2);
    for (const name of SECRETS) expect(tier('read', join(user, name)), name).toBe(2);
  });
});

describe('a home inside of a folder for temporary files', () => {
  const world = { ...home.world, temporary: [join(user, '..', '..'), '/nowhere'] };
  it('is no temporary folder, and neither is what lies beside it', () => {
    expect(touch('write', join(user, 'y'), world).tier).toBe(2);
    expect(touch('write', join(user, '..', 'other', 'y'), world).tier).toBe(2);
    expect(touch('write', join(cwd, 'y'), world).tier).toBe(1);
    expect(touch('write', join(user, '..', '..', 'scratch', 'y'), world).tier).toBe(1);
  });
});

describe('what the sandbox hides', () => {
  it.each(['.bash_history', '.psql_history', '.mysql_history', '.claude/projects/a.jsonl'])(
    'asks before it is read, whether it is there or not: ~/%s',
    async (name) => {
      expect(await judge(`cat ~/${name}`)).toBe(2);
      expect(tier('read', join(user, name))).toBe(2);
    },
  );

  it('is read where it is written for agents', async () => {
    expect(await judge('cat ~/.claude/skills/pdf/SKILL.md')).toBe(0);
  });
});

describe('a command', () => {
  it('is judged in the folder that it runs in', async () => {
    expect(worstTier((await assessCommand({ command: 'rm -rf x', cwd: '/' }, home.world)).findings)).toBe(3);
    expect(await judge('rm -rf dist')).toBe(1);
  });

  it('is judged with the variables that it is given', async () => {
    expect(await judge('ls', { LD_PRELOAD: './x.so' })).toBe(2);
    expect(await judge('ls', { TENON_SET: 'approval.mode=yolo' })).toBe(3);
    expect(await judge('rm -rf "$WHERE"', { WHERE: '/' })).toBe(3);
    // Nobody knows which program looks at it.
    expect(await judge('rm -rf "$WHERE"', { WHERE: 'dist' })).toBe(2);
    expect(await judge('rm -rf "$NODE_ENV"', { NODE_ENV: 'dist' })).toBe(1);
    expect(await judge('git log', { GIT_PAGER: 'cat' })).toBe(0);
  });
});

describe('a policy that a project makes a link to a device', () => {
  it('is an error at once, not a read without an end', async () => {
    mkdirSync(join(home.world.workspace, '.tenon'), { recursive: true });
    symlinkSync('/dev/zero', join(home.world.workspace, '.tenon', 'policy.yml'));
    const host = { config: home.folders.config, home: home.world.home, isTrusted: async () => false };
    const policies = new Policies(host as unknown as ConstructorParameters<typeof Policies>[0]);
    await expect(policies.load(home.world.workspace)).rejects.toMatchObject({ code: 'APPROVAL_POLICY_UNREADABLE' });
  });
});
