import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine } from './machine.ts';

let machine: Awaited<ReturnType<typeof openMachine>>;
beforeAll(async () => void (machine = await openMachine()));
afterAll(() => machine.dispose());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it should have failed'),
    (fault: { code: string; message: string; next: string }) => fault,
  );

async function storedSession() {
  const session = await machine.store.create({ cwd: machine.cwd });
  await session.append('message', { message: { role: 'user', content: 'hello', timestamp: 1 } } as never);
  return session;
}

describe('artifact://', () => {
  it('reads outputs of a session by number, lists them, and names the file behind', async () => {
    const session = await storedSession();
    await session.putArtifact('bash', 'all of the output');
    const id = await session.putArtifact('fetch page', 'a page');
    const found = await machine.router.read(`artifact://${id}`, machine.call(session.id));
    expect(found).toMatchObject({ content: 'a page', immutable: true, file: await session.artifactPath(id) });
    expect(await machine.router.locate('artifact://0', machine.call(session.id))).toBe(await session.artifactPath('0'));
    expect(await machine.read('artifact://', session.id)).toBe('artifact://0  bash\nartifact://1  fetch-page');
    expect(await failure(machine.read('artifact://7', session.id))).toMatchObject({ next: 'The ids are: 0, 1.' });
    expect(await failure(machine.read('artifact://bash', session.id))).toMatchObject({ code: 'URLS_INVALID' });
    await session.close();
  });

  it('knows sessions that live in memory only', async () => {
    const session = machine.store.inMemory({ cwd: machine.cwd });
    machine.live.set(session.id, { session });
    expect(await machine.read('artifact://', session.id)).toContain('no artifact');
    await session.putArtifact('bash', 'kept for now');
    expect(await machine.read('artifact://0', session.id)).toBe('kept for now');
  });

  it('says that it needs a session', async () => {
    const { signal } = new AbortController();
    expect(await failure(machine.router.read('artifact://0', { signal }))).toMatchObject({ code: 'URLS_NO_SESSION' });
  });

  it('gives the start of what is too large, and says where the rest is', async () => {
    const session = await storedSession();
    await session.putArtifact('bash', 'x'.repeat(17 * 1024 * 1024));
    const { content, notes } = await machine.router.read('artifact://0', machine.call(session.id));
    expect(content).toHaveLength(16 * 1024 * 1024);
    expect(notes?.[0]).toContain('17.0MB');
    await session.close();
  });
});

describe('local:// and plan://', () => {
  it('keeps files of a session beside it, so that copies of the session have them', async () => {
    const session = await storedSession();
    await machine.write('local://notes/first idea.md', '# Idea\n', session.id);
    await machine.write('plan://', '1. think', session.id);
    const copy = await machine.store.fork(session);
    await machine.write('local://notes/first idea.md', '# Better\n', session.id);
    expect(await machine.read('local://notes/first%20idea.md', session.id)).toBe('# Better\n');
    expect(await machine.read('local://notes/first idea.md', copy.id)).toBe('# Idea\n');
    expect(await machine.read('plan://', copy.id)).toBe('1. think');
    expect(await machine.read('local://', session.id)).toBe('local://notes/first idea.md  9B');
    await session.close();
    await copy.close();
  });

  it('keeps sessions apart, and names files that do not exist yet', async () => {
    await machine.write('local://a.txt', 'one', 'first');
    expect(await failure(machine.read('local://a.txt', 'second'))).toMatchObject({ code: 'URLS_NOT_FOUND' });
    const path = await machine.router.locate('local://new/b.txt', machine.call('first'));
    expect(path).toMatch(/first\/local\/new\/b\.txt$/);
    expect(await failure(machine.read('plan://', 'second'))).toMatchObject({
      next: expect.stringContaining('plan://'),
    });
    expect(await failure(machine.write('local://', 'x', 'first'))).toMatchObject({ code: 'URLS_INVALID' });
    expect(await failure(machine.write('plan://other.md', 'x', 'first'))).toMatchObject({ code: 'URLS_INVALID' });
  });

  it('gives what is not text as bytes', async () => {
    const path = (await machine.router.locate('local://dot.png', machine.call('pictures'))) ?? '';
    await machine.write('local://other.txt', '', 'pictures');
    writeFileSync(path, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
    const found = await machine.router.read('local://dot.png', machine.call('pictures'));
    expect(found).toMatchObject({ contentType: 'image/png', content: '[dot.png: image/png, 7B]', file: path });
    expect(found.bytes).toHaveLength(7);
  });

  it.skipIf(process.platform === 'win32')('does not wait for a pipe', async () => {
    const path = (await machine.router.locate('local://pipe', machine.call('pipes'))) ?? '';
    await machine.write('local://other.txt', '', 'pipes');
    execFileSync('mkfifo', [path]);
    expect(await failure(machine.read('local://pipe', 'pipes'))).toMatchObject({
      message: expect.stringContaining('not a regular file'),
    });
  });
});

describe('agent://', () => {
  const report = {
    findings: [
      { file: 'a.ts', line: 3 },
      { file: 'b.ts', line: 9 },
    ],
    done: true,
    'odd key': 'x',
  };

  it('gives whole outputs and parts of them, by path and by query', async () => {
    await machine.outputs.put('s', '0-scout', JSON.stringify(report));
    await machine.outputs.put('s', '1-writer', '```json\n{"title": "T"}\n```\n');
    expect(await machine.read('agent://', 's')).toBe('agent://0-scout\nagent://1-writer');
    expect(JSON.parse(await machine.read('agent://0-scout', 's'))).toEqual(report);
    expect(await machine.read('agent://0-scout/findings/1/file', 's')).toBe('b.ts');
    expect(await machine.read('agent://0-scout/odd%20key', 's')).toBe('x');
    expect(await machine.read('agent://0-scout?q=.findings[0].line', 's')).toBe('3');
    expect(JSON.parse(await machine.read('agent://0-scout?q=.findings[].file', 's'))).toEqual(['a.ts', 'b.ts']);
    expect(await machine.read('agent://1-writer/title', 's')).toBe('T');
    expect(await machine.router.locate('agent://0-scout', machine.call('s'))).toMatch(/agents\/0-scout\.md$/);
    expect(await machine.router.locate('agent://0-scout/done', machine.call('s'))).toBeUndefined();
    expect(await machine.outputs.get('s', 'nobody')).toBeUndefined();
  });

  it('says what there is when something is not', async () => {
    await machine.outputs.put('t', 'prose', 'Just words.');
    expect(await failure(machine.read('agent://nobody', 't'))).toMatchObject({ next: 'The ids are: prose.' });
    expect(await failure(machine.read('agent://prose/x', 't'))).toMatchObject({ code: 'URLS_NOT_JSON' });
    expect(await failure(machine.read('agent://prose/x?q=.y', 't'))).toMatchObject({ code: 'URLS_INVALID' });
    await expect(machine.outputs.put('t', '../x', '')).rejects.toMatchObject({ code: 'URLS_INVALID' });
  });
});

describe('memory://', () => {
  it('belongs to a project, wherever in it one works, and lists what it is about', async () => {
    await machine.write('memory://build.md', '# Build with make release\n\nNot with npm.');
    await machine.write('memory://people/ada.md', '---\ndescription: "Who Ada is"\n---\nAda owns the parser.');
    mkdirSync(join(machine.cwd, 'src'));
    const inside = { ...machine.call(), scope: { session: 'x', cwd: join(machine.cwd, 'src') } };
    const { content } = await machine.router.read('memory://', inside);
    expect(content.split('\n')).toEqual([
      'memory://build.md       Build with make release',
      'memory://people/ada.md  Who Ada is',
    ]);
    expect(await machine.read('memory://build')).toContain('Not with npm');
    const elsewhere = { ...machine.call(), scope: { session: 'x', cwd: mkdtempSync(join(machine.home, 'other-')) } };
    expect((await machine.router.read('memory://', elsewhere)).content).toContain('Nothing is remembered');
    expect(await failure(machine.write('memory://tool.sh', 'x'))).toMatchObject({ code: 'URLS_INVALID' });
  });
});

describe('docs://', () => {
  it('lists, reads and searches the documentation', async () => {
    const listing = await machine.read('docs://');
    expect(listing).toMatch(/^docs:\/\/design\/agent\.md {2}The agent$/m);
    const page = await machine.read('docs://design/agent');
    expect(page).toBe(readFileSync(join(import.meta.dirname, '../../../../../docs/design/agent.md'), 'utf8'));
    expect(await machine.read('docs://design')).not.toContain('docs://guide');
    const found = await machine.read('docs://?q=hashline anchors');
    expect(found.split('\n')[0]).toBe('docs://design/hashline.md  Hashline');
    expect(await machine.read('docs://?q=zxqwv')).toContain('No page has any of');
    expect(await failure(machine.read('docs://guide/plugin'))).toMatchObject({
      next: expect.stringContaining('plugins.md'),
    });
    expect(await failure(machine.write('docs://glossary.md', 'x'))).toMatchObject({ code: 'URLS_READ_ONLY' });
  });
});

describe('links inside of folders', () => {
  it.skipIf(process.platform === 'win32')(
    'are followed when they stay inside, and refused when they lead out',
    async () => {
      await machine.write('local://real/a.txt', 'inside', 'links');
      const root = ((await machine.router.locate('local://real', machine.call('links'))) ?? '').replace(/\/real$/, '');
      writeFileSync(join(machine.home, 'secret.txt'), 'secret');
      symlinkSync('real', join(root, 'same'));
      symlinkSync(machine.home, join(root, 'out'));
      symlinkSync(join(machine.home, 'secret.txt'), join(root, 'secret.txt'));
      symlinkSync(join(machine.home, 'made-later.txt'), join(root, 'dangling.txt'));
      expect(await machine.read('local://same/a.txt', 'links')).toBe('inside');
      for (const url of ['local://out/secret.txt', 'local://secret.txt', 'local://dangling.txt']) {
        expect(await failure(machine.read(url, 'links'))).toMatchObject({ code: 'URLS_OUTSIDE' });
        expect(await failure(machine.write(url, 'mine', 'links'))).toMatchObject({ code: 'URLS_OUTSIDE' });
      }
      expect(readFileSync(join(machine.home, 'secret.txt'), 'utf8')).toBe('secret');
      expect(await machine.read('local://', 'links')).not.toContain('secret');
    },
  );
});
