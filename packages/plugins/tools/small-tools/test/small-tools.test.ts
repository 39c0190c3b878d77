import { builtIn } from '@tenon/test-kit/plugins';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { folders } from '@tenon/host';
import { createKernel, Type } from '@tenon/kernel';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { type ToolResult, toolCall, toolRunner, tools } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { justRecipes } from '../src/runners/just.ts';
import { makeTargets } from '../src/runners/make.ts';
import plugin from '../src/plugin.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tenon-small-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const said = ({ content }: ToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** A bash that tells what it was asked to run; the real one has a suite of its own. */
const asked: Record<string, unknown>[] = [];
async function start(refuse?: string) {
  asked.length = 0;
  const kernel = createKernel();
  kernel.install(
    await builtIn('tools'),
    provideServices([
      [folders, { cwd: folder, home: folder, config: folder, data: folder, state: folder, cache: folder }],
    ]),
    await builtIn('small-tools'),
    inlineCandidate(
      {
        id: 'shell',
        activate(ctx) {
          ctx.contribute(tools, 'bash', {
            description: 'Runs',
            parameters: Type.Object({ command: Type.String(), cwd: Type.Optional(Type.String()) }),
            execute: async (input, call) => {
              asked.push(input);
              await call.update({ content: [{ type: 'text', text: 'half' }] });
              return { content: [{ type: 'text', text: 'ran' }], details: { exitCode: 0 } };
            },
          });
          if (refuse !== undefined) ctx.on(toolCall, ({ tool }) => (tool === 'bash' ? { deny: refuse } : undefined));
        },
      },
      {
        contributes: { tools: { bash: { summary: 'Runs', risk: 'exec' } } },
        handles: refuse === undefined ? [] : ['tool.call'],
      },
    ),
  );
  const runner = await kernel.find(toolRunner);
  return (name: string, input: object, options: Parameters<typeof runner.run>[2] = {}) =>
    runner.run(name, input, options);
}

describe('small-tools', () => {
  it('keeps the plugin contract', async () => {
    const others = [
      provideServices([
        [folders, { cwd: folder, home: folder, config: folder, data: folder, state: folder, cache: folder }],
      ]),
      await builtIn('tools'),
    ];
    await pluginContract({ source, plugin, others });
  });
});

describe('calc', () => {
  it('puts prefix and suffix around each result, one per line', async () => {
    const run = await start();
    const result = await run('calc', {
      calculations: [{ expression: '2 ** 64', prefix: '= ', suffix: ' B' }, { expression: '1 / 4' }],
    });
    expect(said(result)).toBe('= 18446744073709551616 B\n0.25');
    expect(result.details).toEqual({
      results: [
        { expression: '2 ** 64', value: '18446744073709551616', output: '= 18446744073709551616 B' },
        { expression: '1 / 4', value: 0.25, output: '0.25' },
      ],
    });
  });

  it('gives no results at all when one expression is wrong', async () => {
    const run = await start();
    const result = await run('calc', { calculations: [{ expression: '1' }, { expression: '1 +' }] });
    expect(result.isError).toBe(true);
    expect(said(result)).toContain('Unexpected end of expression (in "1 +", at character 4)');
  });
});

describe('render_mermaid', () => {
  const flow = 'graph LR\n  A[Start] --> B[Stop]';

  it('draws with box characters, or with ASCII', async () => {
    const run = await start();
    expect(said(await run('render_mermaid', { mermaid: flow }))).toMatch(/│ Start ├─+►│ Stop │/);
    const ascii = said(await run('render_mermaid', { mermaid: flow, config: { useAscii: true, paddingX: -3.5 } }));
    expect(ascii).toMatch(/\| Start >\| Stop \|/);
    expect(ascii).toMatch(/^[\x20-\x7e\n]+$/);
  });

  it('takes semicolons for line breaks, but not inside of texts, and a code fence for what it is', async () => {
    const run = await start();
    const drawn = said(await run('render_mermaid', { mermaid: '```mermaid\ngraph LR; A["a; b"]-->B;\n```' }));
    expect(drawn).toMatch(/│ a; b ├─+►│ B │/);
  });

  it('takes arrows of any length, with texts, and without blanks around them, as Mermaid does', async () => {
    const run = await start();
    const mermaid = 'graph LR\nA-->|yes|B[Do it]\nB-- no --->C\nC-.->D\nD====>E\nE--maybe-->my-node';
    const drawn = said(await run('render_mermaid', { mermaid }));
    expect(drawn).toMatch(/│ A ├─+yes─*►│ Do it ├─+no─*►│ C ├┄+►│ D ├━+►│ E ├─*maybe─*►│ my-node │/);
    expect(drawn).not.toContain('--');
  });

  it.each([
    ['sequence', 'sequenceDiagram\n  Ann->>Bob: Hello\n  Bob-->>Ann: Hi', /Ann[\s\S]*Hello/],
    ['state', 'stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy: work', /Idle[\s\S]*Busy/],
    ['class', 'classDiagram\n  Animal <|-- Dog', /Animal[\s\S]*Dog/],
    ['ER', 'erDiagram\n  USER ||--o{ ORDER : places', /USER[\s\S]*ORDER/],
  ])('draws a %s diagram', async (_, mermaid, drawn) => {
    const run = await start();
    expect(said(await run('render_mermaid', { mermaid }))).toMatch(drawn);
  });

  it('saves the diagram, and the SVG when asked, where there is a session', async () => {
    const run = await start();
    let count = 0;
    const scope = {
      session: 's',
      cwd: folder,
      artifact: (name: string) => Promise.resolve({ id: String(++count), path: join(folder, `${count}.${name}.log`) }),
    };
    const result = await run('render_mermaid', { mermaid: flow, svg: true }, { scope });
    expect(said(result)).toContain('Saved artifact: artifact://1\nSaved SVG: artifact://2');
    expect(result.details).toEqual({ artifactId: '1', svgArtifactId: '2' });
    expect(readFileSync(join(folder, '1.render_mermaid.log'), 'utf8')).toContain('Start');
    expect(readFileSync(join(folder, '2.render_mermaid_svg.log'), 'utf8')).toMatch(/^<svg[\s\S]*<\/svg>\s*$/);
  });

  it.each(['', 'pie title Pets', 'x'.repeat(30_000)])(
    'says what it can draw when it cannot draw %.20j',
    async (mermaid) => {
      const run = await start();
      const result = await run('render_mermaid', { mermaid });
      expect(result.isError).toBe(true);
      expect(said(result)).toMatch(/cannot be drawn: .*[.\n]\s*It must begin with graph/s);
    },
  );
});

describe('recipe', () => {
  const project = {
    Makefile:
      '.PHONY: test lint\n\n# Runs the tests\ntest: build\n\techo test\nlint: ## Looks for mistakes\n\techo\nbuild/out.o: x.c\n\tcc\n',
    'package.json': JSON.stringify({
      scripts: { test: 'vitest', start: 'node .' },
      workspaces: ['packages/*', '!packages/old'],
    }),
    'package-lock.json': '{}',
    'packages/web/package.json': JSON.stringify({ name: '@x/web', scripts: { build: 'vite build' } }),
    'packages/old/package.json': JSON.stringify({ name: 'old', scripts: { build: 'x' } }),
    'packages/docs/README.md': '',
  };

  it('lists the tasks of every runner that is used', async () => {
    write(project);
    const run = await start();
    expect(said(await run('recipe', {}))).toBe(
      [
        'pkg (package scripts)',
        '  test: vitest',
        '  start: node .',
        '  @x/web/build: vite build (in packages/web)',
        'make (make)',
        '  test: Runs the tests',
        '  lint: Looks for mistakes',
      ].join('\n'),
    );
  });

  it.each([
    ['start', { command: "npm run 'start'" }],
    ['  make:test  -j 4 "a b"', { command: `make 'test' -j 4 "a b"` }],
    ['lint', { command: "make 'lint'" }],
    ['start -- --port 1', { command: "npm run 'start' -- --port 1" }],
    ['@x/web/build --watch', { command: "npm run 'build' -- --watch", cwd: 'packages/web' }],
  ])('runs "%s" through bash', async (op, { command, cwd }: { command: string; cwd?: string }) => {
    write(project);
    const run = await start();
    const updates: string[] = [];
    const result = await run('recipe', { op }, { onUpdate: (partial) => void updates.push(said(partial)) });
    expect(said(result)).toBe('ran');
    expect(asked).toEqual([{ command, ...(cwd !== undefined && { cwd: join(folder, cwd) }) }]);
    expect(result.details).toMatchObject({ exitCode: 0, recipe: { command } });
    expect(updates).toEqual(['half']);
  });

  it.each([
    ['test', /Several runners have a task "test"\. Say which one: pkg:test, make:test/],
    ['tset', /There is no task "tset"\. Did you mean "test"\?[\s\S]*lint: Looks for mistakes/],
    ['make:start', /There is no task "make:start"/],
  ])('refuses "%s" with the tasks there are', async (op, message) => {
    write(project);
    const run = await start();
    const result = await run('recipe', { op });
    expect(result.isError).toBe(true);
    expect(said(result)).toMatch(message);
    expect(asked).toEqual([]);
  });

  it('runs nothing that the gate of bash refuses', async () => {
    write(project);
    const run = await start('not today');
    expect(await run('recipe', { op: 'start' })).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });

  it('says so where no runner is used, and where a file cannot be understood', async () => {
    const run = await start();
    expect(said(await run('recipe', { op: 'test' }))).toContain('No task runner is used');
    write({ 'package.json': '{"scripts": ', Makefile: 'all:\n\ttrue\n' });
    expect(said(await run('recipe', {}))).toMatch(
      /make \(make\)\n {2}all: make 'all'\npackage scripts cannot be used: /,
    );
  });

  it.each([
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
  ])('knows by %s that the project uses %s', async (lock, manager) => {
    write({
      'package.json': JSON.stringify({ scripts: { go: 'x' } }),
      [lock]: '',
      'pnpm-workspace.yaml': 'packages:\n  - apps/**\n',
      'apps/a/b/package.json': '{"scripts": {"go": "y"}}',
    });
    const run = await start();
    await run('recipe', { op: 'go' });
    expect(asked).toEqual([{ command: `${manager} run 'go'` }]);
    expect(said(await run('recipe', {}))).toContain('b/go: y (in apps/a/b)');
  });

  it('finds the targets of a cargo package and of a workspace', async () => {
    write({
      'Cargo.toml': '[package]\nname = "solo"\n[[bin]]\nname = "extra"\npath = "src/x.rs"\n',
      'src/main.rs': '',
      'src/bin/tool.rs': '',
      'examples/demo/main.rs': '',
      'tests/it.rs': '',
    });
    const run = await start();
    const list = async () =>
      said(await run('recipe', {}))
        .split('\n')
        .slice(1)
        .map((row) => row.trim().split(':')[0]);
    expect((await list()).sort()).toEqual(['bin/extra', 'bin/solo', 'bin/tool', 'example/demo', 'test/it']);
    write({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/c"]\n',
      'crates/a/Cargo.toml': '[package]\nname = "alpha"\n',
      'crates/a/src/main.rs': '',
      'crates/c/Cargo.toml': '[package]\nname = "gone"\n',
      'crates/c/src/main.rs': '',
    });
    expect(await list()).toEqual(['alpha/bin/alpha']);
    await run('recipe', { op: 'alpha/bin/alpha --release' });
    expect(asked.at(-1)).toEqual({ command: "cargo run --package 'alpha' --bin 'alpha' --release" });
  });

  it('finds the tasks of a Taskfile and of what it includes', async () => {
    write({
      'Taskfile.yml':
        'version: 3\nincludes:\n  docs: ./docs\ntasks:\n  build:\n    desc: Builds it\n    cmds: [go build]\n  hidden:\n    internal: true\n  short: echo\n',
      'docs/Taskfile.yml': 'tasks:\n  serve: {summary: "Shows them\\nin a browser"}\n',
    });
    const run = await start();
    expect(said(await run('recipe', {}))).toBe(
      "task (Taskfile)\n  build: Builds it\n  short: task 'short'\n  docs:serve: Shows them",
    );
    await run('recipe', { op: 'docs:serve' });
    expect(asked.at(-1)).toEqual({ command: "task 'docs:serve'" });
  });
});

describe('reading a justfile', () => {
  it('finds recipes with their words and documentation, without private ones', () => {
    const { recipes, imports } = justRecipes(
      [
        'set shell := ["bash", "-c"]',
        "import 'more.just'",
        'version := "1:2"',
        '',
        '# Builds everything',
        'build target="all" *flags: (check "x")',
        '    echo {{target}}:',
        '[private]',
        'secret:',
        '_helper:',
        "[doc('Says hello')]",
        '@hello name:',
        'alias b := build',
      ].join('\n'),
    );
    expect(recipes).toEqual([
      { name: 'build', command: "just 'build'", doc: 'Builds everything', parameters: ['target', '*flags'] },
      { name: 'hello', command: "just 'hello'", doc: 'Says hello', parameters: ['name'] },
      { name: 'b', command: "just 'b'", doc: 'alias for build' },
    ]);
    expect(imports).toEqual(['more.just']);
  });
});

describe('reading a makefile', () => {
  it('takes every target without .PHONY, and only documented files with it', () => {
    expect(makeTargets('all: a b\na b:\n\ttouch $@\nX := 1\n%.o: %.c\n').map(({ name }) => name)).toEqual([
      'all',
      'a',
      'b',
    ]);
    expect(makeTargets('.PHONY: all \\\n  clean\nall:\nclean:\n# Makes it\nout.txt: in\nother.txt:\n')).toEqual([
      { name: 'all', command: "make 'all'" },
      { name: 'clean', command: "make 'clean'" },
      { name: 'out.txt', command: "make 'out.txt'", doc: 'Makes it (file target)' },
    ]);
  });
});
