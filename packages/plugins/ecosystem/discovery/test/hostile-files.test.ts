import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sourceFiles } from '../src/api.ts';
import { KINDS } from '../src/kind-table.ts';
import { uniqueProblems } from '../src/merge.ts';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';
import { fixtureFiles } from './fixture-files.ts';

type Way = 'text' | 'markdown' | 'data';

/** Files that lead to others: those further on are only reached while these are whole. */
const FIRST =
  /(?:installed_plugins\.json|opencode\.json|config\.yml|\.pi\/agent\/settings\.json|\.omp\/settings\.json|CLAUDE\.md|\.ssh\/config)$/;
const SECOND = /(?:plugin\.json|gemini-extension\.json|package\.json)$/;
const INCLUDED = /docs\/(?:style|more)\.md$/;

function stageOf(path: string): string {
  if (INCLUDED.test(path)) return 'included';
  return FIRST.test(path) ? 'first' : SECOND.test(path) ? 'second' : 'last';
}

/** What somebody may put in the place of a file, by how the file is read. */
interface Variant {
  readonly title: string;
  readonly put: (path: string, way: Way) => Promise<unknown>;
  /** Ways of reading in which it must be noticed. */
  readonly noticed: readonly Way[];
  readonly code: (way: Way, path: string) => string;
  readonly skip?: boolean;
}

const replaceBy = (make: (path: string) => Promise<unknown> | unknown) => async (path: string) => {
  await rm(path);
  await make(path);
};

const VARIANTS: readonly Variant[] = [
  {
    title: 'bad YAML, JSON and TOML',
    put: (path, way) => writeFile(path, way === 'markdown' ? '---\nname: [open\n  x: "y\n---\nBody\n' : '{ "a" = [\n'),
    noticed: ['markdown', 'data'],
    code: (way) => (way === 'markdown' ? 'DISCOVERY_FRONTMATTER' : 'DISCOVERY_SYNTAX'),
  },
  {
    title: 'frontmatter in JavaScript',
    put: (path, way) =>
      writeFile(
        path,
        way === 'data' ? '{{{ globalThis.hostile = 1' : '---js\nglobalThis.hostile = 1;\n({ name: "x" })\n---\nBody\n',
      ),
    noticed: ['markdown', 'data'],
    code: (way) => (way === 'markdown' ? 'DISCOVERY_FRONTMATTER' : 'DISCOVERY_SYNTAX'),
  },
  {
    title: 'ten megabytes',
    put: (path) => truncate(path, 10 * 1024 * 1024),
    noticed: ['text', 'markdown', 'data'],
    code: () => 'DISCOVERY_TOO_LARGE',
  },
  {
    title: 'a link to itself',
    put: replaceBy((path) => symlink(path, path)),
    noticed: ['text', 'markdown', 'data'],
    code: () => 'DISCOVERY_LOOP',
  },
  {
    title: 'bytes that are no UTF-8',
    put: (path) => writeFile(path, Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x80])),
    noticed: ['text', 'markdown', 'data'],
    code: () => 'DISCOVERY_NOT_TEXT',
  },
  {
    title: 'a folder',
    // An empty one is what a sandbox holds a place with, and counts as nothing.
    put: replaceBy((path) => mkdir(join(path, 'inner'), { recursive: true })),
    noticed: ['text', 'markdown', 'data'],
    code: () => 'DISCOVERY_NOT_A_FILE',
  },
  {
    title: 'a pipe that nobody writes to',
    put: replaceBy((path) => execFileSync('mkfifo', [path])),
    noticed: ['text', 'markdown', 'data'],
    code: () => 'DISCOVERY_NOT_A_FILE',
  },
  {
    title: 'a file that cannot be read',
    put: replaceBy((path) => symlink('/proc/self/mem', path)),
    noticed: ['text', 'markdown', 'data'],
    // The user's own links may lead anywhere.
    code: (_way, path) => (path.startsWith('project/') ? 'DISCOVERY_LINK_FORBIDDEN' : 'DISCOVERY_UNREADABLE'),
    skip: process.platform !== 'linux',
  },
];

/** How every file of the fixture is read when all is well. */
async function recordReads(fixture: Fixture): Promise<Map<string, Way>> {
  const reads = new Map<string, Way>();
  const files = await fixture.kernel.find(sourceFiles);
  const note = (path: string, way: Way) => {
    if (files.look(path).stamp?.type === 'file') reads.set(path, way);
  };
  const { text, markdown, data } = files;
  Object.assign(files, {
    text: (...given: Parameters<typeof text>) => (note(given[0], 'text'), text(...given)),
    markdown: (...given: Parameters<typeof markdown>) => (note(given[0], 'markdown'), markdown(...given)),
    data: (...given: Parameters<typeof data>) => (note(given[0], 'data'), data(...given)),
  });
  await discoverAll(fixture);
  return reads;
}

async function discoverAll(fixture: Fixture) {
  const cwd = join(fixture.project, 'packages/app');
  const all = [];
  for (const { slot } of KINDS) all.push(await fixture.discovery.load(slot, cwd));
  return { all, problems: uniqueProblems(all.flatMap(({ problems }) => problems)) };
}

let reads: ReadonlyMap<string, Way>;
let spawned = 0;
const count = () => void spawned++;

beforeAll(async () => {
  const good = await makeFixture(fixtureFiles);
  reads = new Map([...(await recordReads(good))].map(([path, way]) => [path.slice(good.root.length + 1), way]));
  await good.dispose();
});
beforeEach(() => {
  spawned = 0;
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'hostile');
});
afterAll(() => void unsubscribe('child_process', count));

describe.each(VARIANTS)('$title in place of a file', ({ put, noticed, code, skip }) => {
  test.skipIf(skip === true).each([
    ['every file that leads to bundles and others', 'first'],
    ['every manifest of a bundle', 'second'],
    ['every other file', 'last'],
  ])('%s: nothing runs, nothing crashes, each is reported once', async (_what, stage) => {
    const fixture = await makeFixture(fixtureFiles);
    const chosen = [...reads].filter(([path]) => stageOf(path) === stage);
    expect(chosen.length).toBeGreaterThan(4);
    for (const [path, way] of chosen) await put(join(fixture.root, path), way);
    subscribe('child_process', count);
    const { problems } = await discoverAll(fixture);
    unsubscribe('child_process', count);
    expect(spawned).toBe(0);
    expect(globalThis).not.toHaveProperty('hostile');
    expect(problems.filter((problem) => problem.code.startsWith('KERNEL'))).toEqual([]);
    const reported = new Map<string, string[]>();
    for (const problem of problems) {
      const file = String(problem.details['file']).slice(fixture.root.length + 1);
      reported.set(file, [...(reported.get(file) ?? []), problem.code]);
    }
    const expected = chosen.filter(([, way]) => noticed.includes(way));
    for (const [path, way] of expected) expect([path, reported.get(path)]).toEqual([path, [code(way, path)]]);
    await fixture.dispose();
  });
});

describe('values of the wrong type', () => {
  const WRONG = { nested: { deep: [1, { a: null }] } };
  const FIELDS = [
    'name description triggers priority globs alwaysApply allowed-tools tools model condition scope interruptMode argument-hint',
    'applyTo paths spawns mcpServers mcp_servers mcp servers hooks plugins packages extensions skills prompts themes enabledPlugins',
    'projects hosts disabledServers notify instructions command agent lsp context contextFileName omp pi trigger prompt installPath',
    'disabledMcpjsonServers lspServers agents commands developer_instructions PreToolUse permissions',
  ].flatMap((line) => line.split(' '));
  const values: readonly unknown[] = [WRONG, [[[]]], 42, true, null, '', [WRONG], ['x', 3, null]];

  test.each(values.map((value) => [JSON.stringify(value), value] as const))(
    'everywhere %s: nothing crashes, and what is wrong is named',
    async (_title, value) => {
      const fixture = await makeFixture(fixtureFiles);
      const object = Object.fromEntries(FIELDS.map((field) => [field, value]));
      const toml = FIELDS.map((field) => `"${field}" = ${JSON.stringify(value) === 'null' ? '""' : tomlOf(value)}`);
      for (const [path, way] of reads) {
        const text =
          way === 'data'
            ? path.endsWith('.toml')
              ? toml.join('\n')
              : JSON.stringify(object)
            : `---\n${JSON.stringify(object)}\n---\nBody\n`;
        await writeFile(join(fixture.root, path), text);
      }
      const { all, problems } = await discoverAll(fixture);
      expect(problems.filter((problem) => problem.code.startsWith('KERNEL'))).toEqual([]);
      if (value === WRONG) expect(problems.length).toBeGreaterThan(30);
      const names = all.flatMap(({ items }) => items).map(({ key }) => typeof key);
      expect(new Set([...names, 'string'])).toEqual(new Set(['string']));
      await fixture.dispose();
    },
  );

  function tomlOf(value: unknown): string {
    if (Array.isArray(value))
      return `[${value
        .filter((one) => one !== null)
        .map(tomlOf)
        .join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? '');
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${key} = ${tomlOf(one)}`)
      .join(', ')} }`;
  }

  test('a top level that is no object is named once for every file', async () => {
    const fixture = await makeFixture(fixtureFiles);
    const jsons = [...reads].filter(
      ([path, way]) => way === 'data' && path.endsWith('.json') && stageOf(path) === 'last',
    );
    for (const [path] of jsons) await writeFile(join(fixture.root, path), '[1]');
    const { problems } = await discoverAll(fixture);
    for (const [path] of jsons)
      expect(problems.filter(({ details }) => details['file'] === join(fixture.root, path))).toHaveLength(1);
    await fixture.dispose();
  });
});

describe('links that lead in circles', () => {
  test('a folder that holds itself is walked once and reported once', async () => {
    const fixture = await makeFixture({ 'project/.claude/commands/a.md': 'Do it.\n' });
    await symlink(join(fixture.project, '.claude/commands'), join(fixture.project, '.claude/commands/again'));
    await symlink(join(fixture.project, '.claude'), join(fixture.project, '.claude/commands/up'));
    const { all, problems } = await discoverAll(fixture);
    expect(all[3]?.items.map(({ key }) => key)).toEqual(['a']);
    expect(problems.map(({ code, details }) => [code, String(details['file']).slice(fixture.project.length)])).toEqual([
      ['DISCOVERY_LOOP', '/.claude/commands/again'],
      ['DISCOVERY_LOOP', '/.claude/commands/up/commands'],
    ]);
    await fixture.dispose();
  });

  test('a file in place of a folder of a tool is reported once, whatever is looked for in it', async () => {
    const fixture = await makeFixture({ 'project/.claude': 'a file', 'home/.gemini': 'a file' });
    const { problems } = await discoverAll(fixture);
    const places = problems.map(({ code, details }) => `${code} ${String(details['file']).slice(fixture.root.length)}`);
    expect(places.sort()).toEqual(['DISCOVERY_NOT_A_FOLDER /home/.gemini', 'DISCOVERY_NOT_A_FOLDER /project/.claude']);
    await fixture.dispose();
  });

  test('files with the same name in two places: the first wins, the other is listed with its reason', async () => {
    const one = '---\ndescription: One\n---\nOne\n';
    const fixture = await makeFixture({
      'project/.claude/commands/same.md': one,
      'home/.claude/commands/same.md': one,
      'project/.cursor/commands/same.md': one,
    });
    const { all } = await discoverAll(fixture);
    expect(all[3]?.items.map(({ family, level }) => `${family} ${level}`)).toEqual(['claude project']);
    expect(all[3]?.ignored.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 2 }, () => `shadowed by ${join(fixture.project, '.claude/commands/same.md')}`),
    );
    await fixture.dispose();
  });

  test('a folder of more than five thousand entries is cut off and says so', async () => {
    const fixture = await makeFixture({});
    const folder = join(fixture.project, '.claude/commands');
    await mkdir(folder, { recursive: true });
    await Promise.all(Array.from({ length: 5_010 }, (_, at) => writeFile(join(folder, `${at}.md`), '')));
    const { problems } = await discoverAll(fixture);
    expect(problems.map(({ code }) => code)).toEqual(['DISCOVERY_TOO_MANY']);
    expect(dirname(String(problems[0]?.details['file']))).toBe(dirname(folder));
    await fixture.dispose();
  });
});
