import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { defineErrors, TenonError } from '@tenon/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodeFor } from '../src/exit-codes.ts';
import { diagnosticsText, faultText } from '../src/fault-report.ts';
import { findFolders, isInside } from '@tenon/host';
import { createLogFile } from '../src/log-file.ts';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-parts-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("Tenon's folders", () => {
  it('are the XDG folders, and relative ones are ignored', () => {
    const environment = { HOME: '/home/a', XDG_CONFIG_HOME: '/x/config', XDG_DATA_HOME: 'relative' };
    expect(findFolders(environment, folder)).toEqual({
      config: '/x/config/tenon',
      data: '/home/a/.local/share/tenon',
      state: '/home/a/.local/state/tenon',
      cache: '/home/a/.cache/tenon',
      home: '/home/a',
      cwd: folder,
    });
  });

  it('are all inside TENON_HOME when that is set', () => {
    expect(findFolders({ HOME: '/home/a', TENON_HOME: '/mine' }, folder)).toMatchObject({
      config: '/mine/config',
      cache: '/mine/cache',
    });
    expect(() => findFolders({ HOME: '/home/a', TENON_HOME: 'mine' }, folder)).toThrow('TENON_HOME is "mine"');
  });

  it.each([{ HOME: '' }, { HOME: '.' }, { HOME: 'home' }, {}, { HOME: '', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '.' }])(
    'never lie in the project, with %j either',
    (environment) => {
      const { cwd, ...found } = findFolders(environment, folder);
      expect(found.home).toBe(userInfo().homedir);
      expect(found.config).toBe(join(userInfo().homedir, '.config/tenon'));
      for (const path of Object.values(found)) expect([isAbsolute(path), isInside(path, cwd)]).toEqual([true, false]);
    },
  );

  it('of a project are searched up to the root of the repository, and not beyond', () => {
    mkdirSync(join(folder, '.tenon'));
    mkdirSync(join(folder, 'repo', 'a'), { recursive: true });
    const project = (at: string) => findFolders({ HOME: '/home/a' }, at).project;
    expect(project(join(folder, 'repo', 'a'))).toBeUndefined();
    expect(project(folder)).toBe(join(folder, '.tenon'));
    mkdirSync(join(folder, 'repo', '.git'));
    expect(project(join(folder, 'repo', 'a'))).toBeUndefined();
    mkdirSync(join(folder, 'repo', '.tenon'));
    expect(project(join(folder, 'repo', 'a'))).toBe(join(folder, 'repo', '.tenon'));
  });
});

describe('the log file', () => {
  const record = (message: string, fields?: Record<string, unknown>) =>
    ({ time: 'now', level: 'info', owner: 'x', message, ...(fields && { fields }) }) as const;

  it('moves a full file aside and keeps a few of those', () => {
    const write = createLogFile({ folder: join(folder, 'log'), maxBytes: 100, files: 2, onFault: () => undefined });
    for (let index = 0; index < 20; index++) write(record(`message ${index} ${'x'.repeat(40)}`));
    const files = readdirSync(join(folder, 'log')).sort();
    expect(files.length).toBeLessThanOrEqual(3);
    expect(files).toContain('tenon.jsonl');
    expect(readFileSync(join(folder, 'log', 'tenon.jsonl'), 'utf8')).toContain('message 19');
  });

  it('keeps the message of a record that cannot be JSON', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const faults: string[] = [];
    createLogFile({ folder, onFault: (fault) => faults.push(fault) })(record('still here', circle));
    expect(readFileSync(join(folder, 'tenon.jsonl'), 'utf8')).toContain('still here');
    expect(faults).toEqual([]);
  });
});

describe('exit codes', () => {
  const texts = { summary: 'm', next: 'n' };
  const plain = defineErrors('plain', { PLAIN: texts, TYPED_WRONG: { ...texts, exit: 'usage' } });
  const settings = defineErrors('settings', { BROKEN: texts, UNKNOWN: { ...texts, exit: 'usage' } }, 'config');

  it('tell wrong usage, settings, failures and defects apart, as the catalogue says', () => {
    expect(exitCodeFor(plain.create('PLAIN'))).toBe(1);
    expect(exitCodeFor(plain.create('TYPED_WRONG'))).toBe(2);
    expect(exitCodeFor(settings.create('BROKEN'))).toBe(78);
    expect(exitCodeFor(settings.create('UNKNOWN'))).toBe(2);
    expect(exitCodeFor(new TypeError('x is not a function'))).toBe(70);
  });

  it('go by what lies behind an error, and wrong usage goes first', () => {
    const broken = settings.create('BROKEN');
    expect(exitCodeFor(plain.create('PLAIN', {}, broken))).toBe(78);
    expect(exitCodeFor(settings.create('BROKEN', {}, plain.create('TYPED_WRONG')))).toBe(2);
    expect(exitCodeFor(plain.create('PLAIN', {}, new TypeError('x')))).toBe(1);
  });
});

describe('reports', () => {
  const style = { color: false, verbose: false, json: false, logFolder: '/log' };

  it('of a defect say that it is one, and where the log is', () => {
    const text = faultText(new TypeError('x is not a function'), style);
    expect(text).toMatch(/^tenon: Something failed that should not: x is not a function\n/);
    expect(text).toContain('/log');
    expect(text).not.toMatch(/^\s+at /m);
  });

  it('of start-up list every finding with its next step', () => {
    const one = (severity: 'error' | 'warning', message: string) => ({
      severity,
      error: new TenonError({ code: 'X', owner: 'a', message, next: `Fix ${message}.` }),
    });
    const text = diagnosticsText([one('error', 'first'), one('warning', 'second')], style);
    expect(text).toBe(
      'problem: first\n  next: Fix first.\nwarning: second\n  next: Fix second.\n`tenon doctor` shows the whole picture.\n\n',
    );
    expect(diagnosticsText([], style)).toBe('');
  });
});
