/** Which debugger is taken, and definitions of people and packs. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { chooseForAttach, chooseForLaunch, pythons } from '../src/adapters/choose.ts';
import { fill, fillWords, readAdapter } from '../src/adapters/definition.ts';
import { knownAdapters } from '../src/adapters/known.ts';
import { programKind } from '../src/adapters/program-kind.ts';

const DATA: Record<string, Record<string, unknown>> = manifest.tenon.contributes['dap-adapters'];
const ADAPTERS = Object.entries(DATA).map(([key, data]) => readAdapter(key, data, false));

/** A folder with programs that do nothing, as PATH. */
function place(...programs: string[]) {
  const cwd = temporaryFolder('adapters');
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of programs) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), 0o755);
  }
  return { cwd, env: { PATH: bin } };
}

async function kindOf(name: string, content: string | Buffer) {
  const file = join(temporaryFolder('kinds'), name);
  writeFileSync(file, content);
  return programKind(file);
}

describe('the debugger for a program', () => {
  it('is found by what the program is', async () => {
    const here = place('dlv', 'lldb-vscode-14', 'python3');
    const keyFor = async (name: string, content: string | Buffer) =>
      chooseForLaunch(ADAPTERS, undefined, await kindOf(name, content), here).adapter.key;
    expect(await keyFor('a.py', '')).toBe('debugpy');
    expect(await keyFor('run', '#!/usr/bin/env python3\n')).toBe('debugpy');
    expect(await keyFor('a.mjs', '')).toBe('node');
    expect(await keyFor('tool', '#!/usr/bin/env node\n')).toBe('node');
    expect(await keyFor('a.go', '')).toBe('dlv');
    expect(await keyFor('native', Buffer.from('7f454c460201', 'hex'))).toBe('lldb-dap');
    expect(
      await keyFor(
        'go',
        Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(100), Buffer.from('\u0004\0\0\0Go\0\0x')]),
      ),
    ).toBe('dlv');
  });

  it('that is not installed is named with what to install', async () => {
    const here = place();
    const native = await kindOf('native', Buffer.from('7f454c460201', 'hex'));
    expect(() => chooseForLaunch(ADAPTERS, undefined, native, here)).toThrow(
      /not installed: lldb-dap \(apt install lldb\)/,
    );
    expect(() => chooseForLaunch(ADAPTERS, 'dlv', native, here)).toThrow(/dlv is not in PATH/);
    expect(() => chooseForLaunch(ADAPTERS, 'none', native, here)).toThrow(/Known adapters: debugpy, node/);
    const source = await kindOf('a.c', '');
    expect(() => chooseForLaunch(ADAPTERS, undefined, source, here)).toThrow(/Compile it with debug information/);
    await expect(programKind('/nowhere/a.py')).rejects.toMatchObject({
      code: 'DEBUG_NO_PROGRAM',
      message: expect.stringContaining('there is no such file'),
    });
  });

  it('to attach with is that for Python for ports, and a native one for processes', () => {
    const here = place('python3', 'lldb-dap');
    expect(chooseForAttach(ADAPTERS, undefined, 'port', here).adapter.key).toBe('debugpy');
    expect(chooseForAttach(ADAPTERS, undefined, 'pid', here).adapter.key).toBe('lldb-dap');
    expect(() => chooseForAttach(ADAPTERS, 'dart', 'pid', here)).toThrow(/does not support attaching by pid/);
  });

  it('uses the Python of the project first', () => {
    const here = place('python3');
    mkdirSync(join(here.cwd, '.venv', 'bin'), { recursive: true });
    const own = join(here.cwd, '.venv', 'bin', 'python');
    writeFileSync(own, '');
    chmodSync(own, 0o755);
    expect(pythons(here).slice(0, 2)).toEqual([own, join(here.cwd, 'bin', 'python3')]);
  });
});

describe('definitions of adapters', () => {
  it('are checked, and those that cannot be read are left out with a warning', () => {
    const bad = [
      {},
      { commands: 'x', launch: [] },
      { commands: [[]], launch: [] },
      { commands: [['x']], transport: 'pigeon', launch: [] },
      { commands: [['x']], transport: 'dial', launch: [] },
      { commands: [['x']], launch: [{ extensions: ['.x'] }] },
      { commands: [['x']], launch: [], env: { A: 1 } },
      { commands: [['x']], launch: [], attach: { pid: 7 } },
      { commands: [['x']], launch: [], probe: 'yes' },
    ];
    for (const data of bad)
      expect(() => readAdapter('mine', data, false), JSON.stringify(data)).toThrow(/cannot be read/);
    const warnings: string[] = [];
    const log = { warn: (text: string) => void warnings.push(text) };
    const good = { name: 'Mine', commands: [['x']], launch: [] };
    expect(knownAdapters({ good, bad: {} }, [], log).map(({ key }) => key)).toEqual(['good']);
    expect(warnings).toHaveLength(1);
  });

  it('are filled in: whole values keep their type, unknown ones are left out', () => {
    const values = { port: 5, args: ['a', 'b'], stop: false, gone: undefined };
    expect(
      fill({ a: '{port}', b: 'x{port}', c: ['{args}', 'z'], d: '{stop}', e: '{gone}', f: '{other}' }, values),
    ).toEqual({
      a: 5,
      b: 'x5',
      c: ['a', 'b', 'z'],
      d: false,
      f: '{other}',
    });
    expect(fillWords(['run', '{args}', '--p={port}'], values)).toEqual(['run', 'a', 'b', '--p=5']);
  });
});
