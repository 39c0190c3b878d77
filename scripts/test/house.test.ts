/** Holds the tree to the rules of the house: layers, budgets, generated files, hygiene. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { reportFiles } from '../../bench/harness/report.mjs';
import { COMMON_SEED } from '../common-seed.mjs';
import { errorCatalogues } from '../docs/errors-page.mjs';
import { builtinFiles } from '../generate-builtins.mjs';
import { outdated } from '../generated-file.mjs';
import {
  dependencyProblems,
  findImports,
  importProblem,
  importsOf,
  reachesOutside,
  testReaches,
} from '../import-rules.mjs';
import { seedProblems } from '../seed-rules.mjs';
import { filesBelow, fromRoot, pluginPackages, readJson, REPOSITORY, workspacePackages } from '../workspace.mjs';

const KERNEL_LINE_BUDGET = 2000;
const packages = workspacePackages();

function packageIn(folder: string) {
  const found = packages.find((pkg) => pkg.folder === folder);
  if (!found) throw new Error(`${folder} is missing`);
  return found;
}

/** Every file that is or will be committed, as text; without git (an unpacked archive) every file there is. */
function trackedTextFiles(): { path: string; text: string }[] {
  const paths = existsSync(join(REPOSITORY, '.git'))
    ? listedByGit()
    : filesBelow(REPOSITORY).map((path) => fromRoot(path));
  return paths
    .filter((path) => existsSync(join(REPOSITORY, path)) && statSync(join(REPOSITORY, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

function listedByGit(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const list = execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 1 << 26 });
  return list.split('\0').filter(Boolean);
}

describe('who may import whom', () => {
  it.each(packages.map((pkg) => [pkg.folder, pkg] as const))(
    '%s imports only what its layer allows',
    async (_, pkg) => {
      expect((await importsOf(pkg)).flatMap((imported) => importProblem(pkg, imported) ?? [])).toEqual([]);
      expect(dependencyProblems(pkg)).toEqual([]);
    },
  );

  it.each([
    ['packages/kernel', 'yaml', 'the kernel uses Node, TypeBox and our schema checks only'],
    ['packages/kernel', '@tenon/native', 'the kernel uses Node, TypeBox and our schema checks only'],
    ['packages/plugins/foundation/tools', '@tenon/command-line', 'only its `/api`'],
    ['packages/plugins/foundation/tools', '@tenon/command-line/src/parse.ts', 'only its `/api`'],
    ['packages/plugins/foundation/tools', '@tenon/kernel/src/lifecycle.ts', 'public face'],
    ['packages/plugins/foundation/tools', '@tenon/cli', 'composition root'],
    ['packages/plugins/foundation/tools', '../../command-line/src/parse.ts', 'leaves its package'],
    ['packages/plugins/foundation/tools', 'left-pad', 'does not list'],
    ['packages/plugins/foundation/tools', 'fs', 'node:fs'],
    ['packages/plugins/foundation/tools', 'proper-lockfile', 'only packages/state-files uses it'],
    ['packages/plugins/foundation/tools', 'jsonc-parser', 'only packages/state-files uses it'],
    ['packages/state-files', '@tenon/tools/api', 'packages/state-files is no plugin, and imports none'],
    ['native', '@tenon/kernel', 'native imports no package of ours'],
  ])('%s may not import "%s"', (folder, specifier, why) => {
    const pkg = packageIn(folder);
    const file = join(pkg.path, 'src', 'plugin.ts');
    expect(importProblem(pkg, { from: folder, file, specifier })).toContain(why);
  });

  it.each(packages.map((pkg) => [pkg.folder, pkg] as const))(
    'the tests of %s use their own package, public faces and the test kit',
    async (_, pkg) => {
      const problems = (await importsOf(pkg, 'test')).flatMap((imported) => importProblem(pkg, imported) ?? []);
      expect([...problems, ...testReaches(pkg)]).toEqual([]);
    },
  );

  it.each([
    ['@tenon/command-line', 'tests see the `/api`'],
    ['@tenon/command-line/package.json', 'tests see the `/api`'],
    ['@tenon/cli', 'tests see the `/api`'],
    ['@tenon/kernel/src/lifecycle.ts', 'tests see the `/api`'],
    ['../../command-line/test/sample-table.ts', 'belongs to another package'],
    ['../../command-line/src/parse.ts', 'belongs to another package'],
    ['../../command-line/package.json', 'belongs to another package'],
    ['../../../../../native/src/index.ts', 'belongs to another package'],
    ['@tenon/offline/api', 'does not list under devDependencies'],
    ['left-pad', 'does not list under devDependencies'],
    ['fs', 'node:fs'],
  ])('a test may not import "%s"', (specifier, why) => {
    const pkg = packageIn('packages/plugins/foundation/tools');
    const file = join(pkg.path, 'test', 'tools.test.ts');
    expect(importProblem(pkg, { from: pkg.folder, file, specifier })).toContain(why);
  });

  it.each(['../src/plugin.ts', '../package.json', '@tenon/test-kit/workbench', 'vitest', '@tenon/kernel/testing'])(
    'a test may import "%s"',
    (specifier) => {
      const pkg = packageIn('packages/plugins/foundation/tools');
      const file = join(pkg.path, 'test', 'tools.test.ts');
      expect(importProblem(pkg, { from: pkg.folder, file, specifier })).toBeUndefined();
    },
  );

  it('finds paths that a test makes into another package, in every form', () => {
    const pkg = packageIn('packages/plugins/foundation/tools');
    const reaches = (text: string) => reachesOutside(pkg, join(pkg.path, 'test', 'tools.test.ts'), text);
    for (const text of [
      "new URL('../../doctor/package.json', import.meta.url)",
      'new URL(`../../${name}/package.json`, import.meta.url)',
      "join(import.meta.dirname, '..', '..', 'doctor', 'src')",
      "resolve(import.meta.dirname, '../../../../cli/dist/main.js')",
    ])
      expect(reaches(text), text).toEqual([expect.stringContaining('belongs to another package')]);
    for (const text of [
      "new URL('../src/plugin.ts', import.meta.url)",
      "new URL('../../../../../docs/design/agent.md', import.meta.url)",
      "join(import.meta.dirname, 'fixtures', 'a.txt')",
    ])
      expect(reaches(text), text).toEqual([]);
  });

  it('lets nothing but tests depend on the test kit', () => {
    const pkg = packageIn('packages/plugins/foundation/tools');
    const json = { ...pkg.json, dependencies: { '@tenon/test-kit': '*' } };
    expect(dependencyProblems({ ...pkg, json })).toEqual([expect.stringContaining('@tenon/test-kit')]);
    const file = join(pkg.path, 'src', 'plugin.ts');
    const specifier = '@tenon/test-kit/kernel';
    expect(importProblem(pkg, { from: pkg.folder, file, specifier })).toBeDefined();
  });

  it('finds imports in every form, and no text that only looks like one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-imports-'));
    try {
      const file = join(folder, 'sample.ts');
      const lines = [
        "import a, { type B } from 'a';",
        "import type {\n  C,\n} from 'c';",
        "export * from './d.ts';",
        "export type { E } from 'e';",
        "export type * from 'f';",
        "import 'g';",
        "const h = await import('h');",
        "// import i from 'i'",
        "const text = `\nimport j from 'j';\n`;",
      ];
      writeFileSync(file, lines.join('\n'));
      const found = await findImports([file]);
      expect(found.map(({ specifier }) => specifier).sort()).toEqual(['./d.ts', 'a', 'c', 'e', 'f', 'g', 'h']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps the pure crates free of napi', () => {
    const files = filesBelow(join(REPOSITORY, 'crates')).filter((path) => /\.(rs|toml)$/.test(path));
    expect(files.length).toBeGreaterThan(0);
    const naming = files.filter((path) =>
      /^\s*napi[\w-]*\s*=|\bnapi(_derive)?::|#\[napi/m.test(readFileSync(path, 'utf8')),
    );
    expect(naming.map((path) => fromRoot(path))).toEqual([]);
  });

  it('keeps the addon the only library that depends on the binding, and nothing depends on it', () => {
    const cargoFiles = filesBelow(join(REPOSITORY, 'crates')).filter((path) => basename(path) === 'Cargo.toml');
    const upward = cargoFiles.filter((path) => /^tenon-native\s*=/m.test(readFileSync(path, 'utf8')));
    expect(upward.map((path) => fromRoot(path))).toEqual([]);
  });

  it('gives other packages no way into a plugin but its entry and its api', () => {
    for (const { folder, json } of pluginPackages()) {
      const extra = Object.keys(json['exports'] ?? {}).filter(
        (name) => !['.', './api', './package.json'].includes(name),
      );
      // A plugin may offer more to scripts, which is written here so that it is a decision.
      const allowed = folder === 'packages/plugins/foundation/command-line' ? ['./docs'] : [];
      expect(extra, folder).toEqual(extra.filter((name) => allowed.includes(name)));
    }
  });
});

describe('property suites', () => {
  it('draw their cases with the common seed', () => {
    expect(fc.readConfigureGlobal().seed).toBe(COMMON_SEED);
    // This file holds examples of what suites may not say.
    const suites = trackedTextFiles().filter(
      ({ path }) => /\/tests?\/.*\.[cm]?ts$|^crates\/.*\.rs$/.test(path) && path !== 'scripts/test/house.test.ts',
    );
    expect(suites.filter(({ text }) => text.includes("from 'fast-check'")).length).toBeGreaterThan(20);
    expect(suites.flatMap(({ path, text }) => seedProblems(path, text))).toEqual([]);
  });

  it.each([
    ['a.test.ts', 'fc.assert(property, { numRuns: 10, seed: 7 });', 'a seed of its own'],
    ['a.test.ts', 'fc.assert(property, { seed, numRuns });', 'a seed of its own'],
    ['a.test.ts', 'fc.sample(text, { numRuns, seed });', 'a seed of its own'],
    ['a.test.ts', 'fc.configureGlobal({ numRuns: 5 });', 'by default'],
    ['a.test.ts', 'fc.resetConfigureGlobal();', 'by default'],
    ['a.test.ts', "Number(process.env['TENON_OTHER_SEED'])", 'from the environment'],
    ['a.rs', 'ProptestConfig { rng_seed: RngSeed::Fixed(7), ..Default::default() }', 'a seed of its own'],
    ['a.rs', 'let mut runner = TestRunner::deterministic();', 'a seed of its own'],
  ])('%s may not say `%s`', (path, line, why) => {
    const text = path.endsWith('.rs') ? line : `import fc from 'fast-check';\n${line}\n`;
    expect(seedProblems(path, text)).toEqual([expect.stringContaining(why)]);
  });

  it('may name the common seed in a title', () => {
    const text =
      "import fc from 'fast-check';\nit(`holds (seed ${COMMON_SEED})`, () => fc.assert(law, { numRuns }));\n";
    expect(seedProblems('a.test.ts', text)).toEqual([]);
  });
});

/** Lines that hold code: blank lines and comments explain it, and must not be saved on. */
function codeLines(text: string): number {
  const lines = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

describe('budgets', () => {
  it(`keeps the kernel within ${KERNEL_LINE_BUDGET} lines of code`, () => {
    const helpers = join(REPOSITORY, 'packages/kernel/src/testing.ts');
    const files = filesBelow(join(REPOSITORY, 'packages/kernel/src')).filter(
      (path) => path.endsWith('.ts') && path !== helpers,
    );
    const lines = files.reduce((sum, path) => sum + codeLines(readFileSync(path, 'utf8')), 0);
    expect(lines).toBeGreaterThan(500);
    expect(lines).toBeLessThanOrEqual(KERNEL_LINE_BUDGET);
  });

  it('counts code, not comments and blank lines', () => {
    expect(codeLines('/** Doc. */\nconst a = 1; // why\n\n/*\n * more\n */\n// note\nconst b = 2;\n')).toBe(2);
  });
});

describe('generated files', () => {
  it('has an up-to-date table of built-in plugins (else: npm run generate)', async () => {
    expect(outdated(REPOSITORY, await builtinFiles()).map(({ path }) => path)).toEqual([]);
  });

  it('shows the measured numbers in README and benchmarks page (else: npm run bench -- --report)', () => {
    expect(outdated(REPOSITORY, reportFiles(REPOSITORY)).map(({ path }) => path)).toEqual([]);
  });

  it('documents every error code, and no other', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/reference/errors.md'), 'utf8');
    const documented = [...page.matchAll(/^### ([A-Z][A-Z0-9_]+)$/gm)].map((match) => match[1]);
    const codes = (await errorCatalogues(REPOSITORY)).flatMap(({ catalogue }) => Object.keys(catalogue));
    expect(documented.sort()).toEqual(codes.sort());
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('names pages of the documentation by addresses that work without a checkout: `tenon read docs://…`', () => {
    const said = trackedTextFiles()
      .filter(({ path }) => /^packages\/plugins\/[^/]+\/[^/]+\/(?:src\/(?!generated).+\.ts|package\.json)$/.test(path))
      .flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line: line.trim() })))
      .filter(({ line }) => !/^(?:\/\*|\*|\/\/)/.test(line));
    const asPaths = said.filter(({ line }) => /(?<![\w/])docs\/(?:guide|reference|design)\//.test(line));
    expect(asPaths).toEqual([]);
    const pages = said.flatMap(({ line }) =>
      [...line.matchAll(/docs:\/\/([\w/-]+(?:\.\w+)+)/g)].map(([, page = '']) => page),
    );
    expect(pages.length).toBeGreaterThan(10);
    // In capitals: what the reader is to put in.
    const missing = pages.filter((page) => !/NAME|PATH/.test(page) && !existsSync(join(REPOSITORY, 'docs', page)));
    expect(missing).toEqual([]);
  });

  it('tells what to do next for every error', async () => {
    for (const { catalogue } of await errorCatalogues(REPOSITORY)) {
      for (const [code, { summary, next }] of Object.entries(catalogue)) {
        expect(summary, code).toMatch(/\S/);
        expect(next, code).toMatch(/\S/);
      }
    }
  });
});

/** Absolute paths below homes, workspaces and folders of a temporary folder. */
const MACHINE_PATH =
  /(?<![\w.~@/$}\])*>:-])\/(?:(?:home|Users|work|workspaces?|builds?)\/[\w.@+-]+|(?:private\/|var\/)?tmp\/[\w.@+-]+\/[\w.@+-]+)(?:\/[\w.@+-]+)*/g;
/** People and folders of examples, what our own programs make in a temporary folder, and ways out of it. */
const MADE_UP =
  /^\/(?:home|Users)\/(?:a|ada|ann|me|somebody|you|\.\w+)(?:\/|$)|^\/tmp\/(?:work|other|build-123|\.\.|tenon-[\w-]*)\//;
const REGISTRY =
  /\b(?:registry|npm|mirrors?|nexus|artifactory|verdaccio)(?:\.[a-z0-9-]+)+\.(?:com|org|net|io|dev|local|internal|corp)\b/g;
const EXAMPLE_HOST = /(?:^|\.)(?:example\.(?:com|org|net)|invalid|test)$/;

/** Names in a text that belong to one machine. */
function machineNames(text: string): string[] {
  const paths = (text.match(MACHINE_PATH) ?? []).filter((path) => !MADE_UP.test(path));
  const hosts = (text.match(REGISTRY) ?? []).filter((host) => !EXAMPLE_HOST.test(host));
  return [...paths, ...hosts, ...(text.includes(REPOSITORY) ? [REPOSITORY] : [])];
}

/** Packages that import nothing of ours, or whose paths are names in a text. */
const WITHOUT_FOLDERS = ['native', 'packages/test-kit', 'packages/plugins/models/offline'];

/** Tests of path prefixes: `/a/app-evil` begins like `/a/app`, and `..name` like `..`. */
function prefixTests(text: string): string[] {
  const FOLDER = '\\w*(?:folder|root|home|cwd|workspace|dir|directory|base|project|parent)';
  const tests = new RegExp(
    `\\.startsWith\\((?:[^()]*\\bsep\\b|[\\w.]*?${FOLDER}(?:\\.endsWith\\(sep|\\))|\`\\$\\{[\\w.]*?${FOLDER}\\}/|['"\`]\\.\\.['"\`]\\))`,
    'gi',
  );
  return [...text.matchAll(tests)].map(([code]) => code);
}

describe('hygiene', () => {
  it('names no folder of a developer machine and no package registry in any file', () => {
    const problems = trackedTextFiles().flatMap(({ path, text }) =>
      machineNames(text).map((word) => `${path}: ${word}`),
    );
    expect(problems).toEqual([]);
  });

  it('tells folders and registries of a machine from examples and well-known places', () => {
    const slash = '/';
    const leaks = ['home/jane/project', 'Users/jane/x.ts', 'work/some/file', 'tmp/brief-1/notes.md', 'workspaces/app'];
    for (const leak of leaks) expect(machineNames(`see ${slash}${leak}`), leak).toEqual([`${slash}${leak}`]);
    expect(machineNames(`at ${REPOSITORY}${slash}README.md`)).toContain(REPOSITORY);
    const registry = ['registry', 'corp', 'net'].join('.');
    expect(machineNames(`from https://${registry}/left-pad`)).toEqual([registry]);
    const fine = [
      '/home/ada/notes',
      '/tmp/out.txt',
      '/tmp/../etc/hosts',
      '/root/.ssh',
      'https://registry.example.com',
      'src/home/x/y',
      '~/work/a',
    ];
    expect(machineNames(fine.join(' '))).toEqual([]);
  });

  it('tests whether a path lies in a folder in one place only: isInside and isBelow of @tenon/host', () => {
    const sources = packages
      .filter(({ folder }) => !WITHOUT_FOLDERS.includes(folder))
      .flatMap(({ path }) => filesBelow(join(path, 'src')))
      .filter((path) => path.endsWith('.ts') && fromRoot(path) !== 'packages/host/src/paths.ts');
    const problems = sources.flatMap((path) =>
      prefixTests(readFileSync(path, 'utf8')).map((code) => `${fromRoot(path)}: ${code}`),
    );
    expect(problems).toEqual([]);
  });

  it.each([
    'path.startsWith(workspace)',
    'path?.startsWith(judge.world.workspace)',
    'path.startsWith(`${home}/`)',
    'file.startsWith(`${cwd}${sep}`)',
    'real.startsWith(root + sep)',
    'path.startsWith(folder.endsWith(sep) ? folder : folder + sep)',
    "relative(a, b).startsWith('..')",
    'way.startsWith(`..${sep}`)',
  ])('finds the prefix test `%s`', (code) => expect(prefixTests(`if (${code}) return;`)).toHaveLength(1));

  it.each(["name.startsWith('.')", "place.startsWith('./')", 'key.startsWith(`${id}.`)', "path.startsWith('/dev/')"])(
    'lets `%s` be',
    (code) => expect(prefixTests(code)).toEqual([]),
  );

  it('writes to the console in the command line, scripts, benches and tests only', () => {
    const sources = packages
      .filter(({ folder }) => !['packages/cli', 'packages/test-kit', 'bench'].includes(folder))
      .flatMap(({ path }) => filesBelow(join(path, 'src')))
      .filter((path) => /\.[cm]?[jt]s$/.test(path));
    const found = sources.filter((path) => /(?<![\w.'"`])console\.\w+\(/.test(readFileSync(path, 'utf8')));
    expect(found.map((path) => fromRoot(path))).toEqual([]);
  });

  it.each(pluginPackages().map((pkg) => [pkg.folder, pkg] as const))(
    '%s has all that a plugin has',
    (_, { path, json }) => {
      for (const file of ['README.md', 'src/plugin.ts', 'src/api.ts', 'tsconfig.json']) {
        expect(existsSync(join(path, file)), file).toBe(true);
      }
      const tests = filesBelow(join(path, 'test')).filter((file) => file.endsWith('.test.ts'));
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.some((file) => readFileSync(file, 'utf8').includes('pluginContract'))).toBe(true);
      expect(json['tenon'].description).toMatch(/\S/);
      expect(json['license']).toBe('MIT');
    },
  );

  it('gives every package the version of Tenon', () => {
    const { version } = readJson(join(REPOSITORY, 'package.json'));
    expect(packages.filter(({ json }) => json['version'] !== version).map(({ folder }) => folder)).toEqual([]);
  });

  it('lists every workspace package in the lock file', () => {
    const locked = Object.keys(readJson(join(REPOSITORY, 'package-lock.json')).packages);
    expect(packages.map(({ folder }) => folder).filter((folder) => !locked.includes(folder))).toEqual([]);
  });

  it.each(['package-lock.json', 'site/package-lock.json'])(
    'locks the binaries of every platform in %s, without which npm ci refuses it',
    (file) => {
      const locked: Record<string, { optionalDependencies?: Record<string, string> }> = readJson(
        join(REPOSITORY, file),
      ).packages;
      const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies).filter((name) => {
          const nested = `${path}/node_modules/${name}`;
          return !(nested in locked) && !(`node_modules/${name}` in locked);
        }),
      );
      expect(missing).toEqual([]);
    },
  );

  it('has no broken relative link in its documents', () => {
    const broken = trackedTextFiles()
      .filter(({ path }) => path.endsWith('.md') && !path.includes('fixtures/'))
      .flatMap(({ path, text }) => {
        const links = [
          ...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)(?:#[^)]*)?\)/g),
        ];
        return links
          .map((match) => match[1] ?? '')
          .filter((link) => !existsSync(join(REPOSITORY, path, '..', decodeURIComponent(link))))
          .map((link) => `${path}: ${link}`);
      });
    expect(broken).toEqual([]);
  });
});
