import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, it } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../..');

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Publishes with an npm that writes down what it is asked; `view` answers as the shell code says. */
async function publish(view: string, ...paths: string[]) {
  const log = join(folder, 'asked');
  const program = put(
    join(folder, 'bin/npm'),
    `#!/bin/sh\nif [ "$1" = view ]; then ${view}; fi\necho "$*" >> '${log}'\n[ "$2" != '${join(folder, 'bad')}' ]\n`,
  );
  chmodSync(program, 0o755);
  const script = join(REPOSITORY, 'scripts/release/publish.mjs');
  const env = { ...process.env, PATH: `${dirname(program)}:${process.env['PATH']}` };
  const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, ...paths], { cwd: folder, env }, (fault, out, err) =>
      resolve({ code: fault ? fault.code : 0, out, err }),
    );
  });
  const asked = () => readFileSync(log, 'utf8').trim().split('\n');
  return { ...ended, asked };
}

const NOT_THERE = 'echo "npm error code E404" >&2; exit 1';
const packageAt = (name: string, version = '1.0.0') =>
  put(join(folder, name, 'package.json'), JSON.stringify({ name: `@x/${name.replaceAll('/', '-')}`, version }));

describe('publishing', () => {
  it('names folders by their whole path, because npm takes `addons/name` for a repository on GitHub', async () => {
    packageAt('addons/addon-one');
    packageAt('rc', '1.0.0-rc.1');
    const { code, asked } = await publish(NOT_THERE, 'addons/addon-one', 'rc');
    expect(code).toBe(0);
    expect(asked()).toEqual([
      `publish ${join(folder, 'addons/addon-one')} --provenance --access public --tag latest`,
      `publish ${join(folder, 'rc')} --provenance --access public --tag next`,
    ]);
  });

  it('passes over what is there, so that a job that broke off can be run again', async () => {
    packageAt('one');
    packageAt('two', '2.0.0');
    const { code, out, asked } = await publish(
      `[ "$2" = '@x/one@1.0.0' ] && { echo '"1.0.0"'; exit 0; }; ${NOT_THERE}`,
      'one',
      'two',
    );
    expect([code, out]).toEqual([0, '@x/one 1.0.0 is published already\n']);
    expect(asked()).toHaveLength(1);
  });

  it('stops at the first failure, and when the registry gives no clear answer', async () => {
    packageAt('bad');
    packageAt('after');
    const { code, err, asked } = await publish(NOT_THERE, 'bad', 'after');
    expect([code, err]).toEqual([1, '@x/bad 1.0.0 could not be published; run this again once the cause is gone\n']);
    expect(asked()).toHaveLength(1);
    const dark = await publish('echo "npm error code E500" >&2; exit 1', 'after');
    expect([dark.code, dark.err]).toEqual([1, expect.stringContaining('npm could not look for @x/after@1.0.0')]);
    expect(asked()).toHaveLength(1);
  });
});

describe('the sources of the addon', () => {
  it('are the same bytes on Windows, whose hash must be that of the tag', async () => {
    const files = ['Cargo.toml', 'native/build.rs', 'crates/scan/src/lib.rs'];
    const out = await new Promise<string>((resolve, reject) => {
      execFile('git', ['check-attr', 'text', '--', ...files], { cwd: REPOSITORY }, (fault, text) =>
        fault ? reject(fault) : resolve(text),
      );
    });
    expect(out).toBe(files.map((file) => `${file}: text: unset\n`).join(''));
  });
});
