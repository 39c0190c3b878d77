/** The same questions to other real servers: pyright, bash, yaml, gopls, clangd, rust-analyzer. */
import { execFileSync } from 'node:child_process';
import { findInPath } from '@tenon/host';
import { inCheckout } from '@tenon/test-kit/plugins';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { join } from 'node:path';
import { workspaceTrust } from '@tenon/trust/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PLUGINS = ['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
/** The servers that npm has installed for this test are no part of a project: they are named by the user's settings. */
const BIN = inCheckout('node_modules', '.bin');
const FILES = {
  'py/pyproject.toml': '[project]\nname = "x"\nversion = "1"\n',
  'py/area.py': 'def area(side: int) -> int:\n    return side * side\n',
  'py/use.py': 'from area import area\n\nprint(area(2))\n',
  'sh/a.sh': '#!/bin/bash\ngreet() {\n  echo "hello $1"\n}\ngreet you\ngreet me\n',
  'conf/a.yaml': 'one: 1\ntwo: [1, 2]\n',
  'go/go.mod': 'module example.com/x\n\ngo 1.19\n',
  'go/main.go': 'package main\n\nfunc double(n int) int { return n * 2 }\n\nfunc main() {\n\tprintln(double(2))\n}\n',
  'c/compile_flags.txt': '-std=c11\n',
  'c/main.c': 'static int twice(int n) { return n * 2; }\n\nint main(void) { return twice(2); }\n',
  'rs/Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
  'rs/Cargo.lock': 'version = 3\n\n[[package]]\nname = "x"\nversion = "0.1.0"\n',
  'rs/src/main.rs': 'fn half(n: i32) -> i32 {\n    n / 2\n}\n\nfn main() {\n    println!("{}", half(4));\n}\n',
};
let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench(PLUGINS, {
    ownFolder: '.local',
    files: FILES,
    settings: {
      lsp: {
        waitMs: 30_000,
        servers: {
          basedpyright: { enabled: false },
          pyright: { command: join(BIN, 'pyright-langserver') },
          bash: { command: join(BIN, 'bash-language-server') },
          yaml: { command: join(BIN, 'yaml-language-server') },
        },
      },
    },
  });
  // So that the tests also run where no sandbox works.
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
});
afterAll(() => bench.dispose());

const lsp = (input: Record<string, unknown>) => bench.ok('lsp', { timeout: 60, ...input });

describe('pyright', () => {
  it('finds references in other files and renames them', async () => {
    const found = await lsp({ action: 'references', file: 'py/area.py', line: 1, symbol: 'area' });
    expect(found).toContain('py/use.py:3:7');
    await lsp({ action: 'rename', file: 'py/area.py', line: 1, symbol: 'area', new_name: 'surface', apply: true });
    expect(bench.get('py/use.py')).toBe('from area import surface\n\nprint(surface(2))\n');
  });

  it('says in the result of an edit what the edit has broken', async () => {
    const text = await bench.ok('write', {
      path: 'py/use.py',
      content: 'from area import surface\n\nprint(surface("a"))\n',
    });
    expect(text).toContain('py/use.py:3:15 [error] Argument of type');
    const right = await bench.ok('write', {
      path: 'py/use.py',
      content: 'from area import surface\n\nprint(surface(3))\n',
    });
    expect(right).not.toContain('problem');
  });
});

describe('bash-language-server', () => {
  it('finds references and symbols', async () => {
    const found = await lsp({ action: 'references', file: 'sh/a.sh', line: 2, symbol: 'greet' });
    expect(found).toContain('Found 3 references in 1 file');
    expect(await lsp({ action: 'symbols', file: 'sh/a.sh' })).toContain('function greet');
  });
});

describe('yaml-language-server', () => {
  it('says what an edit has broken, although it names no versions', async () => {
    expect(await lsp({ action: 'diagnostics', file: 'conf/a.yaml' })).toBe('OK');
    const text = await bench.ok('write', { path: 'conf/a.yaml', content: 'one: 1\ntwo: [1, 2\n' });
    expect(text).toContain('New problems after this change (1 error):\nconf/a.yaml:3:1 [error]');
  });
});

describe.skipIf(!findInPath('gopls', process.env))('gopls (Debian: gopls)', () => {
  it('finds the definition and says what an edit has broken', async () => {
    expect(await lsp({ action: 'definition', file: 'go/main.go', line: 6, symbol: 'double' })).toContain(
      'go/main.go:3:6',
    );
    const text = textOf(
      await bench.run('write', {
        path: 'go/main.go',
        content: FILES['go/main.go'].replace('double(2)', 'double("2")'),
      }),
    );
    expect(text).toContain('go/main.go:6:17 [error]');
  });
});

describe.skipIf(!findInPath('clangd', process.env))('clangd (Debian: clangd)', () => {
  it('finds references, and says what an edit has broken', async () => {
    expect(await lsp({ action: 'references', file: 'c/main.c', line: 1, symbol: 'twice' })).toContain('c/main.c:3:25');
    const text = textOf(
      await bench.run('write', { path: 'c/main.c', content: FILES['c/main.c'].replace('twice(2)', 'thrice(2)') }),
    );
    expect(text).toContain('c/main.c:3:25 [warning] Implicit declaration');
    expect(text).not.toContain('[info]');
  });
});

describe.skipIf(!rustAnalyzerRuns())('rust-analyzer (rustup)', () => {
  it('finds references once it has loaded the project', async () => {
    const found = await lsp({ action: 'references', file: 'rs/src/main.rs', line: 1, symbol: 'half' });
    expect(found).toContain('rs/src/main.rs:6:20');
  });
});

/** Rustup installs a program of this name that only says that the component is missing. */
function rustAnalyzerRuns(): boolean {
  const path = findInPath('rust-analyzer', process.env);
  if (path === undefined) return false;
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // The component is not installed.
  }
}
