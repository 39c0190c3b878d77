/** The loader of the built program, with a program of two modules. */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { TerminalProgram } from '@tenon/test-kit/terminal-program';
import { beforeEach, describe, expect, it } from 'vitest';

const LOADER = join(import.meta.dirname, '../loader/quick-load.cjs');
/** The second module is loaded when the loader has changed V8's flags; its timer is made shorter, so that nobody waits for it. */
const ENTRY = `
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (work, ms, ...more) => later(work, Math.min(ms, 1), ...more);
const { load } = await import('./quick-load.cjs');
const first = load('first.js').value;
await new Promise((resolve) => later(resolve, 100));
process.stdout.write(\`first \${first}, second \${load('second.js').value}\\n\`);
process.exit(0);
`;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  writeProgram({ 'first.js': 'exports.value=1', 'second.js': 'exports.value=2' });
});

/** Writes a program; the first of its modules, so many, form a region. */
function writeProgram(codes: Readonly<Record<string, string>>, together = 0): void {
  const places: Record<string, readonly unknown[]> = {};
  const regions: unknown[] = [];
  let program = Buffer.alloc(0);
  const put = (text: string) => {
    const bytes = Buffer.from(text);
    program = Buffer.concat([program, bytes]);
    return [program.length - bytes.length, bytes.length, bytes.length === text.length ? 'latin1' : 'utf8'];
  };
  for (const [at, [name, code]] of Object.entries(codes).entries()) {
    const text = `function(exports,require,module,__import,__url,__export,__text){${code}\n}`;
    if (at < together) put(at === 0 ? '[' : ',');
    if (at >= together) places[name] = put(`(${text})`);
    else put(text);
    if (at !== together - 1) continue;
    put(']');
    regions.push([0, program.length, [], 'together', Object.keys(codes).slice(0, together)]);
  }
  const others = put(JSON.stringify(places)).slice(0, 2);
  mkdirSync(join(folder, 'program'), { recursive: true });
  writeFileSync(join(folder, 'program/program.txt'), program);
  writeFileSync(join(folder, 'program/program.json'), JSON.stringify({ id: 'test', regions, others }));
  copyFileSync(LOADER, join(folder, 'program/quick-load.cjs'));
  writeFileSync(join(folder, 'program/package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program/entry.js'), ENTRY);
}

/** Runs the program on a terminal; gives the file with compiled code: every time it is written it is another one. */
async function run(...words: string[]): Promise<number> {
  const program = new TerminalProgram({
    program: process.execPath,
    words: [join(folder, 'program/entry.js'), ...words],
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

/** What a module of the program gives. */
function loaded(name: string): string {
  const code = `import("./program/quick-load.cjs").then(({ load }) => process.stdout.write(load(${JSON.stringify(name)}).value))`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') };
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: folder, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

describe('the loader of the program', () => {
  it('keeps compiled code, and takes all of it in the next run, also behind the start', async () => {
    const first = await run();
    expect(await run()).toBe(first);
  });

  it('takes compiled code from beside the program where the user has none, and then writes none', async () => {
    await run();
    const [made, beside] = [join(folder, 'cache/compiled'), join(folder, 'program/compiled')];
    renameSync(made, beside);
    const before = readdirSync(beside).map((name) => readFileSync(join(beside, name), 'latin1'));
    const { status } = spawnSync(process.execPath, [join(folder, 'program/entry.js')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') },
    });
    expect([status, existsSync(made)]).toEqual([0, false]);
    expect(readdirSync(beside).map((name) => readFileSync(join(beside, name), 'latin1'))).toEqual(before);
    // One that is damaged is no hindrance.
    for (const name of readdirSync(beside)) truncateSync(join(beside, name), 6);
    await run();
    expect(readdirSync(made)).toHaveLength(1);
  });

  it('keeps the young generation small in a process that serves a program, and takes compiled code all the same', async () => {
    const first = await run();
    expect(await run('--mode', 'rpc')).toBe(first);
    const code = `
      const kept=[];for(let at=0;at<300000;at++)kept.push({at});
      exports.value=kept.length&&require("node:v8").getHeapSpaceStatistics().find((space)=>space.space_name==="new_space").space_size;`;
    writeProgram({ 'first.js': code, 'second.js': 'exports.value=2' });
    const youngBytes = (...words: string[]) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'other-cache') };
      const { stdout } = spawnSync(process.execPath, [join(folder, 'program/entry.js'), ...words], {
        env,
        encoding: 'utf8',
      });
      return Number(/first (\d+)/.exec(stdout)?.[1]);
    };
    const usual = youngBytes('-p', 'hello');
    expect(usual).toBeGreaterThan(0);
    for (const words of [['--mode', 'rpc'], ['--mode=rpc'], ['acp']]) expect(youngBytes(...words)).toBeLessThan(usual);
  });

  it('keeps the code of a start also if the process is killed later', async () => {
    const killed = ENTRY.replace('process.exit(0)', "process.kill(process.pid, 'SIGKILL')");
    writeFileSync(join(folder, 'program/entry.js'), killed);
    const { signal } = spawnSync(process.execPath, [join(folder, 'program/entry.js')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') },
    });
    expect(signal).toBe('SIGKILL');
    const compiled = join(folder, 'cache/compiled');
    const [file = ''] = readdirSync(compiled);
    const text = readFileSync(join(compiled, file), 'latin1');
    expect(text).toContain('"first.js"');
    expect(text).not.toContain('"second.js"');
  });

  // Only the system's administrator can give a file away.
  it.skipIf(process.getuid?.() !== 0)('takes no compiled code of another user, and leaves it where it is', () => {
    const compiled = join(folder, 'cache/compiled');
    writeProgram({ 'first.js': 'exports.value="own!"' });
    const codeOf = (value: string) => {
      writeProgram({ 'first.js': `exports.value="${value}"` });
      return loaded('first.js');
    };
    expect(codeOf('evil')).toBe('evil');
    const [name = ''] = readdirSync(compiled);
    const evil = readFileSync(join(compiled, name));
    // V8 looks at the length of the text only.
    expect(codeOf('own!')).toBe('evil');
    chownSync(join(compiled, name), 54_321, 54_321);
    expect(codeOf('own!')).toBe('own!');
    expect(readFileSync(join(compiled, name)).equals(evil)).toBe(true);
    rmSync(join(compiled, name));
    expect(spawnSync('mkfifo', [join(compiled, name)]).status).toBe(0);
    expect(codeOf('own!')).toBe('own!');
  });

  it('writes to no file that is in the place of its own', () => {
    writeProgram({ 'first.js': 'exports.value="made"' });
    expect(loaded('first.js')).toBe('made');
    const compiled = join(folder, 'cache/compiled');
    const [name = ''] = readdirSync(compiled);
    rmSync(join(compiled, name));
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'somebody else');
    const link = `require('node:fs').symlinkSync(${JSON.stringify(other)}, ${JSON.stringify(join(compiled, name))} + '.' + process.pid);`;
    writeProgram({ 'first.js': `${link}exports.value="linked"` });
    expect(loaded('first.js')).toBe('linked');
    expect(readFileSync(other, 'utf8')).toBe('somebody else');
  });

  it('runs where the folder for compiled code may not even be looked into', () => {
    // Root may look everywhere; as another user of a namespace it is an ordinary one.
    const asUser = ['--user', '--map-user=54321', '--map-group=54321'];
    if (spawnSync('unshare', [...asUser, 'true']).status !== 0) return;
    mkdirSync(join(folder, 'cache'), { mode: 0o000 });
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [...asUser, process.execPath, join(folder, 'program/entry.js')],
      {
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') },
        encoding: 'utf8',
      },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'first 1, second 2\n', stderr: '' });
  });

  it('takes modules of a region from one script, and others from the file, whatever letters they have', () => {
    const long = 'x'.repeat(2 ** 20);
    writeProgram(
      {
        'a.js': `exports.value=require("./b.js").value+require("./c.js").value;/*${long}*/`,
        'b.js': 'exports.value="b"',
        'c.js': 'exports.value="c"+require("./d.js").value',
        'd.js': 'exports.value="é d"',
      },
      3,
    );
    for (const _run of [1, 2]) expect(loaded('a.js')).toBe('bcé d');
  });

  it('makes the script of a region long enough to stay outside of the heap of V8', () => {
    const long = 'x'.repeat(600_000);
    writeProgram({ 'a.js': `exports.value=require("./b.js").value;/*${long}*/`, 'b.js': 'exports.value="b"' }, 2);
    const code = `const { Script } = require("node:vm"), texts = [];
      require("node:vm").Script = class extends Script { constructor(text, options) { super(text, options); texts.push(text); } };
      import("./program/quick-load.cjs").then(({ load }) => console.log(load("a.js").value, texts.length, texts[0].length, texts[0].trimEnd().length < 610_000))`;
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') };
    for (const _run of [1, 2]) {
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: folder, env, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['b 1 1040000 true\n', '']);
    }
  });

  it('imports as an ES module what it does not have, and the built program has nothing large twice', () => {
    writeProgram({
      'in/first.js':
        'exports.value="";exports.late=async()=>{const {name}=await __import("./large one.js");return [name,await __import("./none.js").catch(({code})=>code)].join()}',
    });
    mkdirSync(join(folder, 'program/in'));
    writeFileSync(join(folder, 'program/in/large one.js'), 'export const name = import.meta.url;');
    const code = 'import("./program/quick-load.cjs").then(({ load }) => load("in/first.js").late()).then(console.log)';
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' });
    const own = pathToFileURL(join(folder, 'program/in/large one.js')).href;
    expect([stdout, stderr]).toEqual([`${own},ERR_MODULE_NOT_FOUND\n`, '']);

    const dist = join(import.meta.dirname, '../dist');
    const program = readFileSync(join(dist, 'program.txt'), 'latin1');
    const chunks = readdirSync(join(dist, 'chunks'));
    for (const [name, words] of [
      ['html-to-markdown', 'require_Readability'],
      ['js-library', 'awaitToJs'],
    ] as const) {
      const file = chunks.find((chunk) => chunk.startsWith(`${name}-`)) ?? '';
      const places = [readFileSync(join(dist, 'chunks', file), 'latin1'), program];
      expect([name, ...places.map((text) => text.includes(words))]).toEqual([name, true, false]);
    }
  });

  it('adds the code of another command to that of a region, and then has both', () => {
    const inner = 'const inner=()=>[1,2,3].map((x)=>x*2).join();';
    writeProgram({ 'a.js': `${inner}exports.value="a"+inner()`, 'b.js': `${inner}exports.value="b"+inner()` }, 2);
    const compiled = join(folder, 'cache/compiled');
    const kept = () => {
      const [file = ''] = readdirSync(compiled);
      const bytes = readFileSync(join(compiled, file));
      const header = JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32LE(0)).toString()) as Record<string, unknown[]>;
      return { size: bytes.length, modules: header['program-0.js']?.[2], file: statSync(join(compiled, file)).ino };
    };
    expect(loaded('a.js')).toBe('a2,4,6');
    const first = kept();
    expect(first.modules).toEqual([0]);
    expect(loaded('b.js')).toBe('b2,4,6');
    const both = kept();
    expect(both.modules).toEqual([0, 1]);
    expect(both.size).toBeGreaterThan(first.size);
    expect([loaded('a.js'), loaded('b.js')]).toEqual(['a2,4,6', 'b2,4,6']);
    expect(kept()).toEqual(both);
  });

  it('knows what modules export while they still load each other, also when it changes, and texts outside of the scripts', () => {
    writeProgram({
      'a.js':
        '__export(exports,{value:()=>value,later:()=>later});var b=require("./b.js"),value=b.seen()+b.count()+b.count()+Object.keys(b)+b.n;function later(){return "a"}',
      'b.js':
        '__export(exports,{seen:()=>seen,count:()=>count,n:()=>n});let n=0;const seen=()=>require("./a.js").later(),count=()=>++n',
      'text.js': 'exports.value=__text(1,8)',
    });
    expect(loaded('a.js')).toBe('a12seen,count,n2');
    expect(loaded('text.js')).toBe('function');
  });

  it('gives modules of Node to those who import them late, with their names and as a whole', () => {
    const code = `exports.value="";module.exports.late=async()=>{const all=await __import("node:os");return [typeof all.cpus,typeof all.default.cpus,all.EOL===require("node:os").EOL].join()}`;
    writeProgram({ 'first.js': code });
    const text = `import("./program/quick-load.cjs").then(({ load }) => load("first.js").late()).then((said) => process.stdout.write(said))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', text], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') },
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'function,function,true', stderr: '' });
  });

  it('loads some modules of Node when something of them is used, and not before', () => {
    const code = `
      const crypto=require("node:crypto"),files=require("node:fs");
      const isThere=()=>process.moduleLoadList.includes("NativeModule crypto");
      const before=isThere();
      const hash=crypto.createHash("sha256").update("").digest("hex").slice(0,4);
      const names=Object.keys(crypto);
      exports.value=[before,isThere(),hash,names.includes("createHash"),"createHash" in crypto,"nothing" in crypto,crypto.nothing,files===require("node:fs")].join()`;
    writeProgram({ 'first.js': code });
    expect(loaded('first.js')).toBe('false,true,e3b0,true,true,false,,true');
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

  it('replaces code that V8 does not take, also by code that is shorter', async () => {
    await run();
    const compiled = join(folder, 'cache/compiled');
    const [file = ''] = readdirSync(compiled);
    const path = join(compiled, file);
    // Its place in the file, twice as long as it was, and nothing that V8 knows.
    const size = statSync(path).size;
    const head = Buffer.from(JSON.stringify({ 'first.js': [0, size], 'second.js': [size, size] }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    writeFileSync(path, Buffer.concat([length, head, Buffer.alloc(2 * size, 7)]));
    const mended = await run();
    expect(statSync(path).size).toBeLessThan(2 * size);
    expect(await run()).toBe(mended);
  });

  it('throws away code with which a start has crashed, and no other', async () => {
    const made = await run();
    const compiled = join(folder, 'cache/compiled');
    const [file = ''] = readdirSync(compiled);
    const trial = join(compiled, `${file}.trial`);
    // The first is tried by a program that goes on, the second by one that is gone.
    writeFileSync(trial, `${process.pid} 1`);
    expect([await run(), existsSync(trial)]).toEqual([made, true]);
    rmSync(trial);
    writeProgram({ 'first.js': 'process.abort(); ', 'second.js': 'exports.value=2' });
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TENON_CACHE_DIR: join(folder, 'cache') };
    expect(spawnSync(process.execPath, [join(folder, 'program/entry.js')], { cwd: folder, env }).signal).toBe(
      'SIGABRT',
    );
    expect(existsSync(trial)).toBe(true);
    writeProgram({ 'first.js': 'exports.value=1', 'second.js': 'exports.value=2' });
    // As long as it is open, no new file gets its number.
    const damaged = openSync(join(compiled, file), 'r');
    const mended = await run();
    expect([mended === made, existsSync(trial)]).toEqual([false, false]);
    closeSync(damaged);
    expect(await run()).toBe(mended);
  });

  it('ends where no folder can be made, as below /proc', () => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/proc/nobody' };
    const { status, signal } = spawnSync(process.execPath, [join(folder, 'program/entry.js')], {
      env,
      timeout: 20_000,
    });
    expect([status, signal]).toEqual([0, null]);
  });

  it('sets no flag that this V8 does not know, and sets each of them back', () => {
    const node = (...words: string[]) => spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }).stdout;
    const code = 'import("./program/quick-load.cjs").then(({ FLAGS }) => console.log(JSON.stringify(FLAGS)))';
    type Flags = { usual: string; patient: string; saving: string };
    const all = JSON.parse(node('-e', code)) as Record<string, Flags | undefined>;
    const own = all[process.versions.v8.split('.', 2).join('.')];
    const names = (flags = '') =>
      flags
        .split(' ')
        .flatMap((flag) => flag.split('=', 1))
        .filter(Boolean);
    for (const { usual, patient, saving } of Object.values(all).flatMap((flags) => flags ?? []))
      expect([names(patient), names(saving)]).toEqual([names(usual), names(usual)]);
    const options = node('--v8-options');
    for (const name of names(own?.usual)) expect(options).toContain(`  ${name} (`);
  });

  it('finds modules in all folders, however their names are written, and tells each its own address', () => {
    folder = join(folder, 'a folder #1');
    writeProgram({
      'in/first.js':
        'exports.value=[require("./two.js"),require("./deep/three.js"),require("../four.js"),require("./deep/../two.js")].map(({name})=>name).join()',
      'in/two.js': 'exports.name=__url',
      'in/deep/three.js': 'exports.name=require("../../four.js").name==="4"?"3":"?"',
      'four.js': 'exports.name="4"',
    });
    const own = pathToFileURL(join(folder, 'program/in/two.js')).href;
    expect(loaded('in/first.js')).toBe([own, '3', '4', own].join());
  });

  it('has the plugins of every prompt in ASCII: V8 needs twice the memory for a text with one other letter', () => {
    const dist = join(import.meta.dirname, '../dist');
    type Region = [from: number, length: number, apart: string[], name: string];
    const description = JSON.parse(readFileSync(join(dist, 'program.json'), 'utf8')) as {
      regions: Region[];
      others: [from: number, length: number];
    };
    const regions = description.regions.filter(([, , , name]) => name !== 'screen');
    expect(regions.map(([, , , name]) => name)).toContain('until the first request');
    const program = readFileSync(join(dist, 'program.txt'));
    const textAt = ([from, length]: readonly [number, number]) => program.subarray(from, from + length).toString();
    const others = JSON.parse(textAt(description.others)) as Record<string, [from: number, length: number] | undefined>;
    for (const name of regions.flatMap(([, , apart]) => apart)) {
      const text = textAt(others[name] ?? [0, 0]);
      // Write them as \\uXXXX in regular expressions; everywhere else the build does it.
      expect([name, ...[...text.matchAll(/.{0,40}[^\0-\x7f]+/g)].map(([around]) => around)]).toEqual([]);
    }
  });
});
