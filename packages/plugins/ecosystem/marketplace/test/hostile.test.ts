import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCatalogue } from '../src/catalogue/catalogue.ts';
import { marketplaceNameProblem, nameProblem, parseId } from '../src/catalogue/names.ts';
import { checkUrl, parseMarketplaceSource, parsePluginSource } from '../src/catalogue/sources.ts';
import { canonicalJson, contentHash, filesHash } from '../src/tree/file-list.ts';
import { collisionKey, pathProblem } from '../src/tree/path-rules.ts';
import { archiveEntries } from '../src/tree/read-archive.ts';
import { folderEntries } from '../src/tree/read-folder.ts';
import { type TreeEntry, writeTree } from '../src/tree/write-tree.ts';
import { type RawEntry, tgz } from './support/archive.ts';
import { catalogue, marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, faultOf, gitIn, World } from './support/tenon.ts';

let world: World;
const signal = new AbortController().signal;
const limits = { maxBytes: 1024 * 1024, maxFiles: 50 };
let count = 0;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

async function write(entries: AsyncIterable<TreeEntry>) {
  const folder = world.at(`out-${count++}`);
  mkdirSync(folder);
  return { folder, files: await writeTree(entries, folder, { what: 'it', limits, signal }) };
}

const unpack = (entries: readonly RawEntry[]) => write(archiveEntries(tgz(entries), 'it', limits));
const file = (path: string, content = 'x'): RawEntry => ({ path, content });

describe('a hostile archive', () => {
  it.each<[string, readonly RawEntry[], string]>([
    ['climbs out', [file('package/../../evil')], 'climbs out'],
    ['climbs out at once', [file('../evil')], 'climbs out'],
    ['is absolute', [file('/etc/evil')], 'absolute'],
    ['is absolute inside', [file('package//etc/evil')], 'absolute'],
    ['has a backslash', [file('package/a\\..\\evil')], 'not every system'],
    ['has a drive', [file('package/C:evil')], 'not every system'],
    ['has a device name', [file('package/aux.txt')], 'name of a device'],
    ['hides its name', [file('package/a\u202etxt.exe')], 'invisible'],
    ['has a repository inside', [file('package/.git/config')], 'leads into a repository'],
    ['has a link out', [{ path: 'package/l', type: '2', link: '../../etc/passwd' }], 'leads out'],
    ['has an absolute link', [{ path: 'package/l', type: '2', link: '/etc/passwd' }], 'does not lead to a file'],
    ['has a link to itself', [{ path: 'package/l', type: '2', link: 'l' }], 'in a circle'],
    [
      'has a link to the folder above',
      [file('package/d/f'), { path: 'package/d/l', type: '2', link: '../d' }],
      'leads out',
    ],
    [
      'writes through a link',
      [{ path: 'package/l', type: '2', link: 'd' }, file('package/l/evil'), file('package/d/f')],
      'same place',
    ],
    [
      'has a link that climbs through another link',
      [
        file('package/a/b/f'),
        { path: 'package/a/b/up', type: '2', link: '../../a' },
        { path: 'package/out', type: '2', link: 'a/b/up/../..' },
      ],
      'leads out',
    ],
    ['has a hard link', [file('package/a'), { path: 'package/b', type: '1', link: 'package/a' }], 'hard link'],
    ['has a device', [{ path: 'package/dev', type: '3' }], 'device'],
    ['has a pipe', [{ path: 'package/pipe', type: '6' }], 'pipe'],
    ['has the same file twice', [file('package/a'), file('package/a')], 'same file'],
    [
      'differs only in case',
      [file('package/Read.md'), file('package/README.md'), file('package/read.MD')],
      'same file',
    ],
    ['differs only in the case of a folder', [file('package/Dir/a'), file('package/dir/b')], 'same place'],
    ['differs only in how letters are put together', [file('package/\u00e9'), file('package/e\u0301')], 'same file'],
    ['has a file and a folder of one name', [file('package/a'), file('package/a/b')], 'same place'],
    ['has too many files', Array.from({ length: 51 }, (_, index) => file(`package/${index}`)), 'more than 50 files'],
    ['is too large', [file('package/a', 'x'.repeat(1024 * 1024 + 1))], 'larger than 1 MB'],
    ['announces more than any disk has', [{ path: 'package/a', size: 8 ** 10 }], 'larger than 1 MB'],
    ['is cut off', [{ path: 'package/a', content: 'x', size: 9_000 }], 'cut off'],
    ['lies beside the package', [file('evil')], 'climbs out'],
  ])('that %s is refused', async (_, entries, reason) => {
    const fault = await faultOf(unpack(entries));
    expect(fault.code).toBe('MARKETPLACE_HOSTILE');
    expect(fault.message).toContain(reason);
    expect(existsSync(world.at('evil'))).toBe(false);
  });

  it('that unpacks to a thousand times its size is refused before it is unpacked', async () => {
    const large = { maxBytes: 1024 ** 4, maxFiles: 1e6 };
    const entry = tgz([{ path: 'package/zeros', content: Buffer.alloc(16 * 1024 * 1024) }]);
    expect(entry.length).toBeLessThan(20_000);
    const folder = world.at('bomb');
    mkdirSync(folder);
    const fault = await faultOf(
      writeTree(archiveEntries(entry, 'it', large), folder, { what: 'it', limits: large, signal }),
    );
    expect(fault.message).toContain('more than 200 times its size');
  });

  it('with nonsense instead of bytes is an error of its own', async () => {
    expect(await codeOf(write(archiveEntries(Buffer.from('not packed'), 'it', limits)))).toBe('MARKETPLACE_HOSTILE');
    expect(await codeOf(write(archiveEntries(gzipSync(Buffer.alloc(600, 65)), 'it', limits)))).toBe(
      'MARKETPLACE_HOSTILE',
    );
  });

  it('of any content leaves nothing outside of its folder, and is unpacked or refused', async () => {
    const part = fc.constantFrom(
      'a',
      'B',
      'b',
      '..',
      '.',
      '',
      'package',
      '.git',
      'con',
      'x\u0000y',
      'ä',
      'é',
      '\\',
      'a b',
      '-rf',
    );
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const entry = fc.record({
      path,
      type: fc.constantFrom('0', '0', '0', '2', '1', '5', '3'),
      link: path,
      content: fc.string({ maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
        const folder = world.at('law', String(count++));
        mkdirSync(folder, { recursive: true });
        const raw = entries.map((one) => (one.type === '0' ? one : { ...one, content: '' }));
        const work = writeTree(archiveEntries(tgz(raw), 'it', limits), folder, { what: 'it', limits, signal });
        const code = await codeOf(work);
        expect(['no error', 'MARKETPLACE_HOSTILE']).toContain(code);
        for (const name of readdirSync(world.at('law'))) expect(Number(name)).toBeLessThan(count);
        expect(readdirSync(world.base).sort()).toEqual(['home', 'law', 'project']);
        if (code !== 'no error') return;
        for (const { path: found } of await work) expect(resolve(folder, found).startsWith(folder + sep)).toBe(true);
      }),
      { numRuns: caseCount(150) },
    );
  });
});

describe('an honest archive', () => {
  it('made by tar is unpacked to the same files, long names and links too', async () => {
    const long = `${'long-name-'.repeat(14)}/${'deep-'.repeat(20)}.md`;
    world.put('origin/package', {
      [long]: 'long',
      'a.txt': 'a',
      'bin/run.sh': '#!/bin/sh\n',
      'ümlaut.md': 'ü',
      empty: '',
    });
    symlinkSync('../a.txt', world.at('origin/package/bin/link'));
    for (const format of ['ustar', 'pax', 'gnu']) {
      const names = format === 'ustar' ? ['a.txt', 'bin', 'empty'] : ['.'];
      const paths = names.map((name) => (name === '.' ? 'package' : `package/${name}`));
      const packed = execFileSync('tar', ['-czf', '-', `--format=${format}`, '-C', world.at('origin'), ...paths]);
      const { folder, files } = await write(archiveEntries(packed, 'it', limits));
      expect(files.length).toBe(format === 'ustar' ? 4 : 6);
      for (const { path, mode } of files)
        if (mode !== 'link')
          expect(readFileSync(join(folder, path))).toEqual(readFileSync(world.at('origin/package', path)));
      expect(files.find(({ path }) => path === 'bin/run.sh')?.mode).toBe('program');
      expect(readFileSync(join(folder, 'bin/link'), 'utf8')).toBe('a');
      // The same files give the same fingerprint, however they came.
      if (format !== 'ustar')
        expect(filesHash(files)).toBe(filesHash((await write(folderEntries(world.at('origin/package'), 'it'))).files));
    }
  });
});

describe('a hostile repository or folder', () => {
  it.each<[string, (root: string) => void, string]>([
    [
      'submodule',
      (root) => gitIn(root, 'update-index', '--add', '--cacheinfo', '160000', 'a'.repeat(40), 'plugins/quiet/sub'),
      'is a submodule',
    ],
    ['link out of the plugin', (root) => link(root, '../../../secret'), 'leads out'],
    ['link to another plugin', (root) => link(root, '../other/x'), 'leads out'],
    [
      'pair of names that differ in case',
      (root) => {
        const id = gitIn(root, 'hash-object', '-w', '.claude-plugin/marketplace.json').trim();
        for (const name of ['Skill.md', 'SKILL.md'])
          gitIn(root, 'update-index', '--add', '--cacheinfo', '100644', id, `plugins/quiet/${name}`);
      },
      'same file',
    ],
  ])('with a %s is refused', async (_, act, reason) => {
    world.commit('market', { ...marketplace({ quiet: quietPlugin() }), 'plugins/other/x': 'x' });
    act(world.at('market'));
    gitIn(world.at('market'), 'commit', '-q', '-m', 'evil');
    gitIn(world.at(), 'clone', '-q', '--bare', world.at('market'), world.at('market.git'));
    await world.run('marketplace add', { args: { source: world.at('market.git') } });
    const fault = await faultOf(world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } }));
    expect(fault.code).toBe('MARKETPLACE_HOSTILE');
    expect(fault.message).toContain(reason);
    expect(readdirSync(world.at('data/plugins/staging'))).toEqual([]);
  });

  function link(root: string, target: string): void {
    symlinkSync(target, join(root, 'plugins/quiet/link'));
    gitIn(root, 'add', '-A');
  }

  it('runs none of its hooks, filters or other programs', async () => {
    const mark = world.at('ran');
    world.commit('market', { ...marketplace({ quiet: quietPlugin() }), '.gitattributes': '* filter=evil\n' });
    gitIn(world.at(), 'clone', '-q', '--bare', world.at('market'), world.at('market.git'));
    for (const name of ['post-checkout', 'post-merge', 'reference-transaction', 'post-index-change'])
      writeFileSync(world.at('market.git', 'hooks', name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    // As if the user had such a filter and hooks.
    const home = world.at('gitconfig-home');
    mkdirSync(home);
    mkdirSync(join(home, 'hooks'));
    writeFileSync(join(home, 'hooks', 'reference-transaction'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    writeFileSync(
      join(home, '.gitconfig'),
      `[filter "evil"]\n smudge = touch ${mark}\n[core]\n hooksPath = ${home}/hooks\n fsmonitor = touch ${mark}\n[protocol "ext"]\n allow = always\n`,
    );
    const old = process.env['HOME'];
    process.env['HOME'] = home;
    try {
      await world.run('marketplace add', { args: { source: world.at('market.git') } });
      await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    } finally {
      process.env['HOME'] = old;
    }
    expect(world.lock().plugins).toHaveProperty('quiet@acme');
    expect(existsSync(mark)).toBe(false);
  });

  it('with a pipe is refused, and nobody waits for it', async () => {
    world.put('market', marketplace({ quiet: quietPlugin() }));
    execFileSync('mkfifo', [world.at('market/plugins/quiet/pipe')]);
    await world.run('marketplace add', { args: { source: world.at('market') } });
    expect(await codeOf(world.run('plugin install', { args: { plugins: ['quiet'] } }))).toBe('MARKETPLACE_HOSTILE');
  });
});

describe('names and addresses of strangers', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('a', '-', '.', '/', '@', 'Z', '_', '\u0000', ' ') }),
  );

  it('a name that is accepted is a plain word in any path, command or address', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        if (nameProblem(name) !== undefined) return;
        expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/);
        expect(resolve('/root', name)).toBe(`/root/${name}`);
        expect(pathProblem(name)).toBeUndefined();
        expect(parseId(`${name}@${name}`)).toEqual({ name, marketplace: name });
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  it('a path that is accepted stays below its folder, whatever it is made of', () => {
    const path = fc
      .array(fc.oneof(anyText, fc.constantFrom('..', '.', 'a', 'CON', '.git', 'é')), { maxLength: 6 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, (text) => {
        if (pathProblem(text) !== undefined) return;
        expect(resolve('/root', text)).toBe(`/root/${text}`);
        expect(text).not.toMatch(/[\u0000-\u001f\\:]/);
        expect(collisionKey(text.toUpperCase())).toBe(collisionKey(text.toLowerCase()));
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  it.each(['my-plugin', 'code-review', 'wordpress.com', 'ai-v2', 'a', '0'])('accepts the name %s', (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it.each([
    '-bad',
    'bad-',
    '.bad',
    'Bad',
    'under_score',
    '',
    'a/b',
    'a..b',
    'nul',
    'com1.x',
    'x'.repeat(65),
    'a b',
    'ａ',
  ])('refuses the name %j', (name) => {
    expect(nameProblem(name)).toBeTypeOf('string');
  });

  it('keeps names that people know for those whose they are', () => {
    expect(marketplaceNameProblem('claude-plugins-official', 'anthropics')).toBeUndefined();
    expect(marketplaceNameProblem('claude-plugins-official', 'evil')).toContain('reserved');
    expect(marketplaceNameProblem('anthropic-plugins', undefined)).toContain('reserved');
    expect(marketplaceNameProblem('tenon', 'tenon')).toContain('reserved');
    expect(marketplaceNameProblem('acme-tools', undefined)).toBeUndefined();
  });

  it.each([
    'ext::sh -c "touch /tmp/x"',
    'git://example.com/x.git',
    'http://example.com/x.git',
    'https://user:secret@example.com/x.git',
    'https://token@example.com/x.git',
    '--upload-pack=touch /tmp/x',
    'ssh://-oProxyCommand=x/y',
    '-oProxyCommand=x@host:y',
    'git@-oProxyCommand=x:y',
    'file:///etc',
    'http://127.0.0.1/x.git',
    'https://localhost/x.git',
    'javascript:alert(1)',
    'https://example.com/x\u0000.git',
    'fd::17',
  ])('a catalogue from elsewhere cannot name %j', (url) => {
    expect(() => checkUrl(url, { reach: 'remote' })).toThrow(/cannot be used as a source/);
    expect(() =>
      parsePluginSource({ source: 'url', url }, '', { githubUrl: 'https://github.com', reach: 'remote' }),
    ).toThrow();
  });

  it('does not repeat a password in its complaint', () => {
    expect(() => checkUrl('https://user:secret@example.com/x.git', { reach: 'local' })).toThrow(/^(?!.*secret)/);
  });

  it('takes addresses as people write them', () => {
    const rules = { githubUrl: 'https://github.com', reach: 'local' } as const;
    const parse = (text: string) => parseMarketplaceSource(text, rules, world.base, world.at('home'));
    expect(parse('acme/plugins')).toEqual({ kind: 'git', url: 'https://github.com/acme/plugins.git' });
    expect(parse('acme/plugins#v2')).toEqual({ kind: 'git', url: 'https://github.com/acme/plugins.git', ref: 'v2' });
    expect(parse('https://example.com/a/b')).toEqual({ kind: 'git', url: 'https://example.com/a/b' });
    expect(parse('https://example.com/m.json?x=1')).toEqual({ kind: 'json', url: 'https://example.com/m.json?x=1' });
    expect(parse('git@example.com:a/b.git')).toEqual({ kind: 'git', url: 'git@example.com:a/b.git' });
    expect(parse('./home')).toEqual({ kind: 'folder', path: world.at('home') });
    expect(() => parse('./absent')).toThrow(/does not exist/);
    expect(() => parse('acme/plugins#--exec')).toThrow(/branch or tag/);
  });

  it('reads any catalogue or says what is wrong with it, and bad entries do not concern good ones', () => {
    const rules = { githubUrl: 'https://github.com', reach: 'remote' } as const;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: anyText, source: fc.jsonValue() })), { maxLength: 5 }),
        (junk) => {
          const text = catalogue([...junk, { name: 'the-good-one', source: './good' }]);
          const { plugins, problems } = parseCatalogue(text, 'c', rules);
          expect(plugins.map(({ name }) => name)).toContain('the-good-one');
          expect(plugins.length + problems.length).toBe(junk.length + 1);
        },
      ),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseCatalogue(text, 'c', rules);
        } catch (fault) {
          expect(fault).toMatchObject({ code: 'MARKETPLACE_CATALOGUE_INVALID' });
        }
      }),
    );
  });
});

describe('fingerprints', () => {
  const record = fc.record({
    path: fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((text) => pathProblem(text) === undefined),
    mode: fc.constantFrom('file' as const, 'program' as const, 'link' as const),
    size: fc.nat(),
    sha256: fc.string({ unit: fc.constantFrom('0', 'f'), minLength: 64, maxLength: 64 }),
  });
  const list = fc.uniqueArray(record, { selector: ({ path }) => path, maxLength: 6 });

  it('do not depend on the order of files, and differ for different lists or definitions', () => {
    fc.assert(
      fc.property(list, list, fc.jsonValue(), (one, other, definition) => {
        expect(filesHash(one.toReversed())).toBe(filesHash(one));
        const isSame = canonicalJson([...one].sort(byPath)) === canonicalJson([...other].sort(byPath));
        expect(filesHash(one) === filesHash(other)).toBe(isSame);
        expect(contentHash(definition, one)).not.toBe(contentHash({ definition }, one));
      }),
    );
  });

  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
});
