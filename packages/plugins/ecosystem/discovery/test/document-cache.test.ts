import { readFileSync, statSync, utimesSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { commands, discovery, mcpServers, skills } from '../src/api.ts';
import { type Fixture, makeFixture, startKernel } from '@tenon/test-kit/discovery-fixture';

const FILE = 'project/.claude/skills/one/SKILL.md';
const text = (description: string) => `---\ndescription: ${description}\n---\nBody\n`;

let fixture: Fixture;
afterEach(() => fixture.dispose());

const cacheFile = () => join(fixture.home, '.cache/tenon/discovery/documents.json');

/** What a program that starts anew finds. */
async function foundAnew(): Promise<readonly string[]> {
  const kernel = await startKernel(fixture.home, fixture.project);
  const found = await (await kernel.find(discovery)).load(skills, fixture.project);
  await kernel.dispose();
  return [...found.items.map(({ value }) => value.description), ...found.problems.map(({ code }) => code)];
}

async function warmed(files: Readonly<Record<string, string>>): Promise<void> {
  fixture = await makeFixture(files);
  // What was written a moment ago is not kept.
  await sleep(80);
  await foundAnew();
}

test('what was read is kept for the next start, readable by the user alone', async () => {
  await warmed({ [FILE]: text('First') });
  const { rows } = JSON.parse(await readFile(cacheFile(), 'utf8')) as { rows: unknown[][] };
  expect(rows.map(([key]) => key)).toEqual([`head ${join(fixture.root, FILE)}`]);
  expect((await stat(cacheFile())).mode & 0o777).toBe(0o600);
  // To see that it is used, let it say something else than the file.
  await writeFile(cacheFile(), (await readFile(cacheFile(), 'utf8')).replace('First', 'Kept'));
  expect(await foundAnew()).toEqual(['Kept']);
});

test('a file that changed is read again, also when its size and its times look the same', async () => {
  await warmed({ [FILE]: text('First') });
  const path = join(fixture.root, FILE);
  const { atime, mtime } = statSync(path);
  await writeFile(path, text('Other'));
  utimesSync(path, atime, mtime);
  expect(await foundAnew()).toEqual(['Other']);
});

test('a file that is new is found, one that is gone is not', async () => {
  await warmed({ [FILE]: text('First') });
  await fixture.write('project/.claude/skills/two/SKILL.md', text('Second'));
  expect(await foundAnew()).toEqual(['First', 'Second']);
});

test('problems are reported again although the file was not read again', async () => {
  await warmed({ [FILE]: '---\ndescription: Good\nbad: [a, "b\n---\nBody\n' });
  expect(await foundAnew()).toEqual(['Good', 'DISCOVERY_FRONTMATTER']);
});

test.each(['', '{', '[]', '{"format":1,"rows":[[1,2],["a","b",3,null],null]}', '{"format":99,"rows":[]}'])(
  'a cache that holds %j is no cache',
  async (content) => {
    await warmed({ [FILE]: text('First') });
    await writeFile(cacheFile(), content);
    expect(await foundAnew()).toEqual(['First']);
  },
);

test('settings, which may hold secrets, are never kept', async () => {
  fixture = await makeFixture({
    'home/.claude.json': '{"mcpServers":{"a":{"command":"x","env":{"KEY":"sk-very-secret"}}}}',
    'project/.claude/commands/a.md': 'A.\n',
  });
  await sleep(80);
  const kernel = await startKernel(fixture.home, fixture.project);
  const finder = await kernel.find(discovery);
  await finder.load(mcpServers, fixture.project);
  await finder.load(commands, fixture.project);
  await kernel.dispose();
  const kept = readFileSync(cacheFile(), 'utf8');
  expect(kept).toContain('a.md');
  expect(kept).not.toContain('secret');
});
