/** Whatever a call is given, it changes no file that it did not declare. */
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { editTools } from '@tenon/file-tools/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { caseCount } from '@tenon/test-kit/properties';
import { SEARCH_TOOL, toolCall, toolRunner, tools, type Touches } from '@tenon/tools/api';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
let declared: Touches | undefined;
let changes = 0;
const { HOME } = process.env;
const FILES = {
  'a.ts': 'one();\ntwo();\n',
  'src/b.ts': 'one();\n',
  'a.ts:1-2': 'odd\n',
  'x y.ts': 'z\n',
  '@p.ts': 'one();\n',
};

beforeAll(async () => {
  const watch = inlineCandidate(
    { id: 'watch', activate: (ctx) => void ctx.on(toolCall, ({ touches }) => void (declared = touches)) },
    { handles: ['tool.call'] },
  );
  bench = await openWorkbench(['file-tools', 'search-tools', 'syntax-tools'], { files: FILES, ownFolder: '.local' });
  process.env['HOME'] = bench.home;
  bench.kernel.install(watch);
  mkdirSync(join(bench.home, 'elsewhere'));
  symlinkSync(join(bench.home, 'elsewhere'), bench.path('out'));
  symlinkSync(bench.path('src'), bench.path('in'));
  symlinkSync(bench.path('a.ts'), bench.path('link.ts'));
  rmSync(bench.path('.git'), { recursive: true });
  cpSync(bench.root, join(bench.home, 'fresh'), { recursive: true, verbatimSymlinks: true });
});
afterAll(async () => {
  if (HOME === undefined) delete process.env['HOME'];
  else process.env['HOME'] = HOME;
  await bench.dispose();
});
beforeEach(() => {
  changes = 0;
});

/** Everything below a folder: content of files, targets of links. */
function contentOf(folder: string, at = folder): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (entry.isSymbolicLink()) found.set(path, `-> ${readlinkSync(path)}`);
    else if (entry.isDirectory()) for (const [name, text] of contentOf(folder, path)) found.set(name, text);
    else found.set(path, readFileSync(path, 'latin1'));
  }
  return found;
}

function reset(): void {
  rmSync(bench.root, { recursive: true });
  cpSync(join(bench.home, 'fresh'), bench.root, { recursive: true, verbatimSymlinks: true });
  rmSync(join(bench.home, 'elsewhere'), { recursive: true });
  mkdirSync(join(bench.home, 'elsewhere'));
}

/** Runs a call; what changed must lie at, below, or behind something that was declared to be written. */
async function changesOnlyDeclared(tool: string, input: Record<string, unknown>, mode?: string): Promise<void> {
  reset();
  const before = contentOf(bench.home);
  declared = undefined;
  const runner = await bench.kernel.find(toolRunner);
  const other = mode === undefined ? {} : { tool: await (await bench.kernel.find(editTools)).tool(mode) };
  await runner.run(tool, input, { ...other, scope: { session: 's', cwd: bench.root } });
  const after = contentOf(bench.home);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  changes += changed.length;
  const writes: readonly string[] = (declared as Touches | undefined)?.writes ?? [];
  const places = writes.flatMap((path) => [path, realOf(path)]);
  expect(
    changed.filter((path) => !places.includes(path)),
    JSON.stringify({ tool, input, writes }),
  ).toEqual([]);
}

/** The place that a declared path led to before the call, which only makes and changes files behind links of the fresh folder. */
function realOf(path: string): string {
  for (const [link, target] of [
    ['out', join(bench.home, 'elsewhere')],
    ['in', bench.path('src')],
  ] as const)
    if (path.startsWith(`${bench.path(link)}/`)) return join(target, path.slice(bench.path(link).length));
  return path === bench.path('link.ts') ? bench.path('a.ts') : path;
}

const name = fc.constantFrom(
  'a.ts',
  'src/b.ts',
  'new.ts',
  'in/b.ts',
  'in/new.ts',
  'out/x.ts',
  'link.ts',
  'x y.ts',
  '@p.ts',
  'a.ts:1-2',
  'n.zip:in.txt',
  'src',
  '.',
);
const wrapped = fc.constantFrom(
  (path: string) => path,
  (path: string) => `"${path}"`,
  (path: string) => ` '${path}' `,
  (path: string) => `./${path}`,
  (path: string) => `src/../${path}`,
  (path: string) => `@${path}`,
  (path: string) => `file://${path}`,
  (path: string) => `file://${bench.root}/${encodeURIComponent(path).replaceAll('%2F', '/')}`,
  (path: string) => `${path}:1-2`,
  (path: string) => `${path}?q=1`,
  (path: string) => `${path}\u2028`,
  (path: string) => `${path}\0`,
  (path: string) => `{${path},a.ts}`,
  (path: string) => path.replace('.ts', '*'),
  (path: string) => `~/elsewhere/${path}`,
  (path: string) => `"'${path}'"`,
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(name, wrapped).map(([file, wrap]) => wrap(file)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }).map((odd) => odd.replaceAll(/[/~]/g, '_')) },
);
const text = fc.constantFrom('one();', 'two();', 'x', '', 'one();\ntwo();', '@@ out/x.ts', '*** Update File: out/x.ts');
const lines = fc.array(text, { maxLength: 3 }).map((list) => list.join('\n'));

const INPUTS: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  read: fc.record({ path }),
  write: fc.record({ path, content: lines }),
  find: fc.record({ paths: fc.array(path, { minLength: 1, maxLength: 3 }) }),
  search: fc.record({ pattern: text, paths: fc.array(path, { minLength: 1, maxLength: 3 }) }),
  ast_grep: fc.record({ pat: text, paths: fc.array(path, { minLength: 1, maxLength: 3 }) }),
  ast_edit: fc.record({
    ops: fc.tuple(fc.record({ pat: fc.constant('one()'), out: fc.constant('six()') })),
    paths: fc.array(path, { minLength: 1, maxLength: 3 }),
  }),
  resolve: fc.record({ action: fc.constantFrom('apply', 'discard'), reason: text }),
};
const MODES: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  hashline: fc
    .array(fc.tuple(fc.constantFrom('@@ ', '@', ' @@@\t'), path, fc.constantFrom('+ EOF', '< BOF'), text), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => ({ input: parts.map(([head, file, op, line]) => `${head}${file}\n${op}\n~${line}\n`).join('') })),
  replace: fc.record({
    path,
    edits: fc.array(fc.record({ old_text: text, new_text: text, path }, { requiredKeys: ['old_text', 'new_text'] }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  patch: fc.record({
    path,
    edits: fc.array(
      fc.record(
        {
          path,
          rename: path,
          op: fc.constantFrom('update', 'create', 'delete'),
          diff: fc.constantFrom('@@\n-one();\n+x', '+new', ''),
        },
        { requiredKeys: [] },
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  apply_patch: fc
    .array(
      fc.oneof(
        path.map((file) => `*** Add File: ${file}\n+x`),
        path.map((file) => `*** Delete File:${file}`),
        fc.tuple(path, path).map(([file, to]) => `*** Update File: ${file}\n*** Move to: ${to}\n@@\n-one();\n+x`),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => ({ input: ['*** Begin Patch', ...parts, '*** End Patch'].join('\n') })),
  vim: fc.record({ file: path, steps: fc.constant([{ kbd: ['Go'], insert: 'x' }]) }),
};

describe('what a call changes is within what it declared', () => {
  it('for every tool here', async () => {
    const registry = bench.kernel.read(tools);
    for (const { key } of registry.list()) expect((await registry.resolve(key)).touches, key).toBeTypeOf('function');
    const names = registry.list().map(({ key }) => key);
    expect(names.sort()).toEqual([...Object.keys(INPUTS), 'edit', SEARCH_TOOL].sort());
  });

  it.each(Object.keys(INPUTS).filter((tool) => tool !== 'resolve'))('%s', async (tool) => {
    await fc.assert(
      fc.asyncProperty(INPUTS[tool] as fc.Arbitrary<Record<string, unknown>>, (input) =>
        changesOnlyDeclared(tool, input),
      ),
      { numRuns: caseCount(30) },
    );
    expect(changes > 0).toBe(tool === 'write');
  });

  it('resolve, after a preview', async () => {
    await fc.assert(
      fc.asyncProperty(INPUTS['ast_edit'] as never, INPUTS['resolve'] as never, async (preview, input) => {
        reset();
        await bench.run('ast_edit', preview, { session: 's' });
        await changesOnlyDeclared('resolve', input as Record<string, unknown>);
      }),
      { numRuns: 20 },
    );
    expect(changes).toBeGreaterThan(0);
  });

  it.each(Object.keys(MODES))('edit in the mode %s', async (mode) => {
    await fc.assert(
      fc.asyncProperty(MODES[mode] as fc.Arbitrary<Record<string, unknown>>, (input) =>
        changesOnlyDeclared('edit', input, mode),
      ),
      // Of a fifth of them none might change a file.
      { numRuns: 30 },
    );
    expect(changes).toBeGreaterThan(0);
  });
});
