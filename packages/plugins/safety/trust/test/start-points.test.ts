/** Start points of a project and the ways to change what they run without touching their definition. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pinOf } from '../src/content/content-pins.ts';

type Files = Readonly<Record<string, string>>;
interface Change {
  readonly title: string;
  readonly definition: unknown;
  readonly before: Files;
  readonly after: Files;
}

/** Each `after` makes the same command do something else. */
const CHANGES: readonly Change[] = [
  {
    title: 'npx ./x bin',
    definition: { command: 'npx', args: ['./x'] },
    before: { 'x/package.json': '{"bin":"b.js"}', 'x/b.js': '1' },
    after: { 'x/b.js': '2' },
  },
  {
    title: 'npx ./x package.json bin changed',
    definition: { command: 'npx', args: ['./x'] },
    before: { 'x/package.json': '{"bin":"b.js"}', 'x/b.js': '1', 'x/c.js': '3' },
    after: { 'x/package.json': '{"bin":"c.js"}' },
  },
  {
    title: 'npx ./x postinstall script',
    definition: { command: 'npx', args: ['./x'] },
    before: { 'x/package.json': '{"bin":"b.js"}', 'x/b.js': '1' },
    after: { 'x/package.json': '{"bin":"b.js","scripts":{"prepare":"evil"}}' },
  },
  {
    title: 'npx tool: node_modules/.bin/tool',
    definition: { command: 'npx', args: ['tool'] },
    before: { 'node_modules/.bin/tool': '1', 'package.json': '{}' },
    after: { 'node_modules/.bin/tool': '2' },
  },
  {
    title: 'npx tool: appears in node_modules/.bin',
    definition: { command: 'npx', args: ['-y', 'tool'] },
    before: { 'package.json': '{}' },
    after: { 'node_modules/.bin/tool': '2' },
  },
  {
    title: 'npx tool: .npmrc',
    definition: { command: 'npx', args: ['-y', 'tool'] },
    before: { 'package.json': '{}' },
    after: { '.npmrc': 'registry=http://evil' },
  },
  {
    title: 'npm run mcp: script',
    definition: { command: 'npm', args: ['run', 'mcp'] },
    before: { 'package.json': '{"scripts":{"mcp":"node a.js"}}', 'a.js': '1' },
    after: { 'package.json': '{"scripts":{"mcp":"node a.js; evil"}}' },
  },
  {
    title: 'npm run mcp: script file',
    definition: { command: 'npm', args: ['run', 'mcp'] },
    before: { 'package.json': '{"scripts":{"mcp":"node a.js"}}', 'a.js': '1' },
    after: { 'a.js': '2' },
  },
  {
    title: 'npm run: .npmrc script-shell',
    definition: { command: 'npm', args: ['run', 'mcp'] },
    before: { 'package.json': '{"scripts":{"mcp":"node a.js"}}', 'a.js': '1' },
    after: { '.npmrc': 'script-shell=./evil' },
  },
  {
    title: 'npm --prefix sub run',
    definition: { command: 'npm', args: ['--prefix', 'sub', 'run', 'mcp'] },
    before: { 'sub/package.json': '{"scripts":{"mcp":"node a.js"}}', 'sub/a.js': '1' },
    after: { 'sub/package.json': '{"scripts":{"mcp":"evil"}}' },
  },
  {
    title: 'bun run: bunfig preload',
    definition: { command: 'bun', args: ['run', 's.ts'] },
    before: { 's.ts': '1' },
    after: { 'bunfig.toml': 'preload=["./e.ts"]' },
  },
  {
    title: 'uv run s.py',
    definition: { command: 'uv', args: ['run', 's.py'] },
    before: { 's.py': '1', 'pyproject.toml': 'a' },
    after: { 's.py': '2' },
  },
  {
    title: 'uv run name (project script)',
    definition: { command: 'uv', args: ['run', 'srv'] },
    before: { 'pyproject.toml': '[project.scripts]\nsrv="app:main"', 'app.py': '1' },
    after: { 'app.py': '2' },
  },
  {
    title: 'uv run pyproject',
    definition: { command: 'uv', args: ['run', 'srv'] },
    before: { 'pyproject.toml': '[project.scripts]\nsrv="app:main"', 'app.py': '1' },
    after: { 'pyproject.toml': '[project.scripts]\nsrv="evil:main"' },
  },
  {
    title: 'uv --directory sub run',
    definition: { command: 'uv', args: ['--directory', 'sub', 'run', 's.py'] },
    before: { 'sub/s.py': '1' },
    after: { 'sub/s.py': '2' },
  },
  {
    title: 'python shadow json.py',
    definition: { command: 'python3', args: ['s.py'] },
    before: { 's.py': 'import json' },
    after: { 'json.py': 'evil' },
  },
  {
    title: 'python -m pkg',
    definition: { command: 'python3', args: ['-m', 'app.srv'] },
    before: { 'app/srv.py': 'import app.util', 'app/util.py': '1' },
    after: { 'app/srv.py': '2' },
  },
  {
    title: 'python -m pkg imported',
    definition: { command: 'python3', args: ['-m', 'app.srv'] },
    before: { 'app/srv.py': 'from app import util', 'app/__init__.py': '', 'app/util.py': '1' },
    after: { 'app/util.py': '2' },
  },
  {
    title: 'python -mapp',
    definition: { command: 'python3', args: ['-mapp'] },
    before: { 'app.py': '1' },
    after: { 'app.py': '2' },
  },
  {
    title: 'PYTHONPATH env',
    definition: { command: 'python3', args: ['-m', 'json'], env: { PYTHONPATH: './lib' } },
    before: { 'lib/x.py': '1' },
    after: { 'lib/json.py': 'evil' },
  },
  {
    title: 'NODE_OPTIONS env',
    definition: { command: 'node', args: ['s.js'], env: { NODE_OPTIONS: '--require ./p.js' } },
    before: { 's.js': '1', 'p.js': '1' },
    after: { 'p.js': '2' },
  },
  {
    title: 'NODE_OPTIONS --import=./p.mjs',
    definition: { command: 'node', args: ['s.js'], env: { NODE_OPTIONS: '--import=./p.mjs' } },
    before: { 's.js': '1', 'p.mjs': '1' },
    after: { 'p.mjs': '2' },
  },
  {
    title: 'node import chain',
    definition: { command: 'node', args: ['s.js'] },
    before: { 's.js': 'import "./a/b.js"', 'a/b.js': 'import "./c.js"', 'a/c.js': '1' },
    after: { 'a/c.js': '2' },
  },
  {
    title: 'node # imports (package.json imports)',
    definition: { command: 'node', args: ['s.js'] },
    before: { 's.js': 'import "#x"', 'package.json': '{"imports":{"#x":"./x.js"}}', 'x.js': '1' },
    after: { 'x.js': '2' },
  },
  {
    title: 'make include',
    definition: { command: 'make', args: ['mcp'] },
    before: { Makefile: 'include rules.mk\nmcp:\n\t./x', 'rules.mk': '1', x: '1' },
    after: { 'rules.mk': '2' },
  },
  {
    title: 'make -C sub',
    definition: { command: 'make', args: ['-C', 'sub', 'mcp'] },
    before: { 'sub/Makefile': 'mcp:\n\techo' },
    after: { 'sub/Makefile': 'mcp:\n\tevil' },
  },
  {
    title: 'make: GNUmakefile appears',
    definition: { command: 'make', args: ['mcp'] },
    before: { Makefile: 'mcp:\n\techo' },
    after: { GNUmakefile: 'mcp:\n\tevil' },
  },
  {
    title: 'make -f',
    definition: { command: 'make', args: ['-f', 'b.mk'] },
    before: { 'b.mk': 'a:\n\techo' },
    after: { 'b.mk': 'evil' },
  },
  {
    title: 'just import',
    definition: { command: 'just', args: ['x'] },
    before: { justfile: 'import "b.just"', 'b.just': '1' },
    after: { 'b.just': '2' },
  },
  {
    title: 'sh -c cd sub && ./run',
    definition: { command: 'sh', args: ['-c', 'cd sub && ./run.sh'] },
    before: { 'sub/run.sh': '1' },
    after: { 'sub/run.sh': '2' },
  },
  {
    title: 'bash script sources',
    definition: { command: 'bash', args: ['h.sh'] },
    before: { 'h.sh': 'source ./lib/c\n. lib/d.sh', 'lib/c': '1', 'lib/d.sh': '1' },
    after: { 'lib/c': '2' },
  },
  {
    title: 'bash script calls python',
    definition: { command: './h.sh' },
    before: { 'h.sh': '#!/bin/sh\npython3 tools/t.py', 'tools/t.py': '1' },
    after: { 'tools/t.py': '2' },
  },
  {
    title: 'go run ./cmd',
    definition: { command: 'go', args: ['run', './cmd/x'] },
    before: { 'cmd/x/a.go': '1', 'go.mod': 'm' },
    after: { 'cmd/x/a.go': '2' },
  },
  {
    title: 'go run imported pkg',
    definition: { command: 'go', args: ['run', './cmd/x'] },
    before: { 'cmd/x/a.go': 'import "m/internal/y"', 'internal/y/y.go': '1', 'go.mod': 'module m' },
    after: { 'internal/y/y.go': '2' },
  },
  {
    title: 'cargo run',
    definition: { command: 'cargo', args: ['run'] },
    before: { 'src/main.rs': 'mod a;', 'src/a.rs': '1', 'Cargo.toml': '' },
    after: { 'src/a.rs': '2' },
  },
  {
    title: 'cargo run toml',
    definition: { command: 'cargo', args: ['run'] },
    before: { 'src/main.rs': '1', 'Cargo.toml': 'a' },
    after: { 'Cargo.toml': 'b' },
  },
  {
    title: 'docker run -v image compose',
    definition: { command: 'docker', args: ['compose', 'run', 'x'] },
    before: { 'compose.yaml': '1' },
    after: { 'compose.yaml': '2' },
  },
  {
    title: 'docker compose -f',
    definition: { command: 'docker', args: ['compose', '-f', 'd/c.yml', 'run', 'x'] },
    before: { 'd/c.yml': '1' },
    after: { 'd/c.yml': '2' },
  },
  {
    title: 'env_file',
    definition: { command: 'node', args: ['--env-file=.env', 's.js'] },
    before: { 's.js': '1', '.env': 'A=1' },
    after: { '.env': 'NODE_OPTIONS=--require ./e.js' },
  },
  {
    title: 'deno deno.json',
    definition: { command: 'deno', args: ['run', 's.ts'] },
    before: { 's.ts': '1' },
    after: { 'deno.json': '{}' },
  },
  {
    title: 'ruby -Ilib',
    definition: { command: 'ruby', args: ['-Ilib', 's.rb'] },
    before: { 's.rb': 'require "x"', 'lib/x.rb': '1' },
    after: { 'lib/x.rb': '2' },
  },
  {
    title: 'ruby require_relative',
    definition: { command: 'ruby', args: ['s.rb'] },
    before: { 's.rb': 'require_relative "x"', 'x.rb': '1' },
    after: { 'x.rb': '2' },
  },
  {
    title: 'php include',
    definition: { command: 'php', args: ['s.php'] },
    before: { 's.php': '<?php include "x.php";', 'x.php': '1' },
    after: { 'x.php': '2' },
  },
  {
    title: 'poetry run',
    definition: { command: 'poetry', args: ['run', 'python', 's.py'] },
    before: { 's.py': '1' },
    after: { 's.py': '2' },
  },
  {
    title: 'yarn .yarnrc.yml yarnPath',
    definition: { command: 'yarn', args: ['mcp'] },
    before: { 'package.json': '{"scripts":{"mcp":"a"}}', '.yarnrc.yml': 'yarnPath: .yarn/a.cjs', '.yarn/a.cjs': '1' },
    after: { '.yarn/a.cjs': '2' },
  },
  {
    title: 'java -jar',
    definition: { command: 'java', args: ['-jar', 'x.jar'] },
    before: { 'x.jar': '1' },
    after: { 'x.jar': '2' },
  },
  {
    title: 'gradlew',
    definition: { command: './gradlew', args: ['run'] },
    before: {
      gradlew: '#!/bin/sh\njava -jar gradle/wrapper/gradle-wrapper.jar',
      'gradle/wrapper/gradle-wrapper.jar': '1',
    },
    after: { 'gradle/wrapper/gradle-wrapper.jar': '2' },
  },
  {
    title: 'large script 600K',
    definition: { command: 'node', args: ['s.js'] },
    before: { 's.js': 'import "./a.js"\n' + '//x\n'.repeat(200000), 'a.js': '1' },
    after: { 'a.js': '2' },
  },
];

/** Changes that have nothing to do with what runs, or that the guide names as not covered. */
const QUIET: readonly Change[] = [
  {
    title: 'a release of the package',
    definition: { command: 'npm', args: ['run', 'mcp'] },
    before: { 'package.json': '{"version":"1","scripts":{"mcp":"node a.js"}}', 'a.js': '1' },
    after: { 'package.json': '{"version":"2","scripts":{"mcp":"node a.js"},"dependencies":{"x":"2"}}' },
  },
  {
    title: 'a dependency of a Python project',
    definition: { command: 'uv', args: ['run', 'srv'] },
    before: { 'pyproject.toml': '[project]\ndependencies=["a"]\n[project.scripts]\nsrv="app:main"\n', 'app.py': '1' },
    after: { 'pyproject.toml': '[project]\ndependencies=["a","b"]\n[project.scripts]\nsrv="app:main"\n' },
  },
  {
    title: 'a source that the server does not use',
    definition: { command: 'node', args: ['server.js'] },
    before: { 'server.js': 'import "./a.js"', 'a.js': '1', 'src/app.js': '1' },
    after: { 'src/app.js': '2', 'README.md': '2' },
  },
  {
    title: 'an update inside an installed package',
    definition: { command: 'node', args: ['s.js'] },
    before: { 's.js': 'require("dep")', 'node_modules/dep/index.js': '1' },
    after: { 'node_modules/dep/index.js': '2' },
  },
  {
    title: 'a log that the hook writes to',
    definition: { command: 'echo ran >> "$CLAUDE_PROJECT_DIR/marks/ran"; sh guard.sh' },
    before: { 'marks/ran': '1', 'guard.sh': 'echo x >> marks/other', 'marks/other': '1' },
    after: { 'marks/ran': '2', 'marks/other': '2' },
  },
  {
    title: 'a database and notes that the server keeps',
    definition: { command: 'node', args: ['s.js', '--db', 'data/app.sqlite'], env: { NOTES: 'notes.txt' } },
    before: { 's.js': '1', 'data/app.sqlite': '1', 'notes.txt': '1' },
    after: { 'data/app.sqlite': '2', 'notes.txt': '2' },
  },
];

function pins({ definition, before, after }: Change): readonly string[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-start-')));
  try {
    return [before, after].map((files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return JSON.stringify(pinOf(folder, { name: 'x', file: join(folder, '.mcp.json'), definition }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it.each(CHANGES)('asks again after: $title', (change) => {
  const [before, after] = pins(change);
  expect(after).not.toBe(before);
});

it.each(QUIET)('does not ask after: $title', (change) => {
  const [before, after] = pins(change);
  expect(after).toBe(before);
});
