/** The loader of the built program, with a program of two modules. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { TerminalProgram } from '@tenon/test-kit/terminal-program';
import { beforeEach, describe, expect, it } from 'vitest';

const LOADER = join(import.meta.dirname, '../loader/quick-load.mjs');
/** The second module is loaded when the loader has changed V8's flags; its timer is made shorter, so that nobody waits for it. */
const ENTRY = `
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (work, ms, ...more) => later(work, Math.min(ms, 1), ...more);
const { load } = await import('./quick-load.js');
const first = load('first.js').value;
await new Promise((resolve) => later(resolve, 100));
process.stdout.write(\`first \${first}, second \${load('second.js').value}\\n\`);
process.exit(0);
`;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  const modules = Object.entries({ 'first.js': 'exports.value=1', 'second.js': 'exports.value=2' });
  const texts = modules.map(([, code]) => `(function(exports,require,module,__import,__url){${code}\n})`);
  let at = 0;
  const places = modules.map(([name], index) => {
    const { length = 0 } = texts[index] ?? '';
    at += length;
    return [name, [at - length, length, 'latin1']];
  });
  mkdirSync(join(folder, 'program'));
  writeFileSync(join(folder, 'program/program.txt'), texts.join(''));
  writeFileSync(
    join(folder, 'program/program.json'),
    JSON.stringify({ id: 'test', modules: Object.fromEntries(places) }),
  );
  copyFileSync(LOADER, join(folder, 'program/quick-load.js'));
  writeFileSync(join(folder, 'program/package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program/entry.js'), ENTRY);
});

/** Runs the program on a terminal; gives the file with compiled code: every time it is written it is another one. */
async function run(): Promise<number> {
  const program = new TerminalProgram({
    program: process.execPath,
    words: [join(folder, 'program/entry.js')],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') },
  });
  await program.shows('first 1, second 2');
  await program.ends();
  // V8 complains about flags that it does not know.
  expect(program.all).not.toMatch(/unrecognized|Error/);
  const compiled = join(folder, 'cache/compiled');
  const [file = ''] = readdirSync(compiled);
  return statSync(join(compiled, file)).ino;
}

describe('the loader of the program', () => {
  it('keeps compiled code, and takes all of it in the next run, also behind the start', async () => {
    const first = await run();
    expect(await run()).toBe(first);
  });

  it('compiles again what a file that was cut short lacks', async () => {
    await run();
    const compiled = join(folder, 'cache/compiled');
    const [file = ''] = readdirSync(compiled);
    const path = join(compiled, file);
    const { size, ino } = statSync(path);
    truncateSync(path, size - 10);
    expect(await run()).not.toBe(ino);
    expect(statSync(path).size).toBeGreaterThan(size - 10);
  });

  it('sets no flag that this V8 does not know, and sets each of them back', () => {
    const node = (...words: string[]) => spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }).stdout;
    const code = 'import("./program/quick-load.js").then(({ FLAGS }) => console.log(JSON.stringify(FLAGS)))';
    const all = JSON.parse(node('-e', code)) as Record<string, { usual: string; patient: string } | undefined>;
    const own = all[process.versions.v8.split('.', 2).join('.')];
    const names = (flags = '') =>
      flags
        .split(' ')
        .flatMap((flag) => flag.split('=', 1))
        .filter(Boolean);
    for (const { usual, patient } of Object.values(all).flatMap((flags) => flags ?? []))
      expect(names(patient)).toEqual(names(usual));
    const options = node('--v8-options');
    for (const name of names(own?.usual)) expect(options).toContain(`  ${name} (`);
  });
});
