/** What is special about JavaScript: modules, source maps, exceptions, logs, and text from a hostile program. */
import { execFileSync } from 'node:child_process';
import { caseCount } from '@tenon/test-kit/properties';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isReached } from '../src/adapters/node-inspector/node-breakpoints.ts';
import { SourceMap } from '../src/adapters/node-inspector/source-map.ts';
import { encodeFrame, FrameReader } from '../src/adapters/node-inspector/websocket.ts';
import { type DebugBench, openDebugBench } from './support/debug-bench.ts';

let bench: DebugBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  bench = undefined;
});

describe('JavaScript', () => {
  for (const end of ['mjs', 'cjs'])
    it(`stops once at a breakpoint on the very first line, and only where its condition holds (${end})`, async () => {
      bench = await openDebugBench({ [`a.${end}`]: "globalThis.x = 1;\nconsole.log('two');\n" });
      const first = await bench.debug('launch', { program: `a.${end}`, file: `a.${end}`, line: 1 });
      expect(first.details.snapshot).toMatchObject({ stopReason: 'breakpoint', place: { line: 1 } });
      expect((await bench.debug('continue')).details.snapshot).toMatchObject({ state: 'ended', exitCode: 0 });
      const condition = 'globalThis.x';
      const other = await bench.debug('launch', { program: `a.${end}`, file: `a.${end}`, line: 1, condition });
      expect(other.details.snapshot.state).toBe('ended');
    });

  it('stops at a function before it was called, in modules too', async () => {
    const text = `import { twice } from './lib.mjs';\nexport function main(value) {\n  return twice(value);\n}\nconsole.log(main(21));\n`;
    const lib = 'export const twice = (value) => {\n  const result = value * 2;\n  return result;\n};\n';
    bench = await openDebugBench({ 'a.mjs': text, 'lib.mjs': lib });
    const launched = await bench.debug('launch', { program: 'a.mjs', function: 'main' });
    expect(launched.details.snapshot.place).toMatchObject({ name: 'main', line: 3 });
    await bench.debug('set_breakpoint', { function: 'twice' });
    const inside = await bench.debug('continue');
    expect(inside.details.snapshot.place?.path).toBe(bench.path('lib.mjs'));
    expect((await bench.debug('loaded_sources')).text).toContain(bench.path('lib.mjs'));
  });

  it('stops at exceptions, caught and uncaught, and tells them', async () => {
    const text = `try {\n  throw new TypeError('caught');\n} catch {}\nnull.foo;\n`;
    bench = await openDebugBench({ 'a.cjs': text });
    await bench.debug('launch', { program: 'a.cjs' });
    expect(await bench.refused('set_exception_breakpoints', { filters: ['some'] })).toMatch(/it has: all, uncaught/);
    await bench.debug('set_exception_breakpoints', { filters: ['all'] });
    const caught = await bench.debug('continue');
    expect(caught.details.snapshot).toMatchObject({ stopReason: 'TypeError: caught', place: { line: 2 } });
    expect((await bench.debug('exception_info')).text).toMatch(/^TypeError: TypeError: caught/);
    await bench.debug('set_exception_breakpoints', { filters: ['uncaught'] });
    expect((await bench.debug('continue')).details.snapshot.place).toMatchObject({ line: 4 });
    const ended = await bench.debug('continue');
    expect(ended.details.snapshot).toMatchObject({ state: 'ended', exitCode: 1 });
    expect((await bench.debug('output')).text).toMatch(/TypeError: Cannot read properties of null/);
  });

  it('writes log messages without stopping, and only the output of the program', async () => {
    const text = `for (let i = 0; i < 3; i++) {\n  Math.sqrt(i);\n}\nconsole.error('end');\n`;
    bench = await openDebugBench({ 'a.cjs': text });
    await bench.debug('launch', { program: 'a.cjs' });
    await bench.debug('set_breakpoint', {
      file: 'a.cjs',
      line: 2,
      log_message: 'i is {i} of {1 + 2}',
      condition: 'i !== 1',
    });
    expect((await bench.debug('continue')).details.snapshot.state).toBe('ended');
    const lines = (await bench.debug('output')).text.split('\n');
    expect(lines.toSorted()).toEqual(['end', 'i is 0 of 3', 'i is 2 of 3']);
  });

  it('shows objects, and changes variables and properties', async () => {
    const text = `const item = { name: 'a', list: [1, 2], when: new Map([['k', 1]]) };\nlet count = 1;\ndebugger;\nconsole.log(item.name, count);\n`;
    bench = await openDebugBench({ 'a.cjs': text });
    await bench.debug('launch', { program: 'a.cjs', stop_on_entry: false, timeout: 30 });
    expect((await bench.debug('sessions')).text).toMatch(/debugger statement/);
    const shown = await bench.debug('evaluate', { expression: 'item' });
    expect(shown.text).toMatch(/\{name: "a", list: Array\(2\), when: Map\(1\)\}/);
    const reference = (shown.details['evaluation'] as { variablesReference: number }).variablesReference;
    expect((await bench.debug('variables', { variable_ref: reference })).text).toMatch(
      /^list: Array = Array\(2\) \[1, 2\] \(variable_ref \d+\)$/m,
    );
    await bench.debug('set_variable', { name: 'name', value: '"b"', variable_ref: reference });
    await bench.debug('set_variable', { name: 'count', value: 'count + 41' });
    expect(await bench.refused('evaluate', { expression: 'missing.thing' })).toMatch(
      /ReferenceError: missing is not defined/,
    );
    await bench.debug('continue');
    expect((await bench.debug('output')).text).toBe('b 42');
  });

  it('is debugged by the lines of TypeScript when it has a source map', async () => {
    const source = `interface Item {\n  readonly n: number;\n}\n\nfunction double(item: Item): number {\n  const result: number = item.n * 2;\n  return result;\n}\nconsole.log(double({ n: 21 }));\n`;
    bench = await openDebugBench({ 'src/a.ts': source });
    const { transform } = await import('esbuild');
    const { code, map } = await transform(source, { loader: 'ts', sourcemap: 'external', sourcefile: '../src/a.ts' });
    bench.put('dist/a.js', `${code}\n//# sourceMappingURL=a.js.map\n`);
    bench.put('dist/a.js.map', map);
    const stopped = await bench.debug('launch', { program: 'dist/a.js', file: 'src/a.ts', line: 7 });
    expect(stopped.details.snapshot.place).toMatchObject({ path: bench.path('src/a.ts'), line: 7, name: 'double' });
    expect((await bench.debug('evaluate', { expression: 'result' })).text).toMatch(/42/);
    expect((await bench.debug('loaded_sources')).text).toContain(bench.path('src/a.ts'));
  });

  it('is debugged by the lines of TypeScript in modules that come later, too', async () => {
    bench = await openDebugBench();
    const { transform } = await import('esbuild');
    const source = `type A = number;\n\nexport function later(n: A): A {\n  return n + 1;\n}\nlater(1);\n`;
    for (const [format, end] of [
      ['esm', 'mjs'],
      ['cjs', 'cjs'],
    ] as const) {
      const { code } = await transform(source, {
        loader: 'ts',
        format,
        sourcemap: 'inline',
        sourcefile: `lib-${format}.ts`,
      });
      bench.put(`lib.${end}`, code);
      bench.put(`lib-${format}.ts`, source);
      bench.put(
        `main.${end}`,
        format === 'esm' ? `await import('./lib.mjs');\n` : `setTimeout(() => require('./lib.cjs'), 10);\n`,
      );
      const stopped = await bench.debug('launch', { program: `main.${end}`, file: `lib-${format}.ts`, line: 4 });
      expect(stopped.details.snapshot.place, format).toMatchObject({ path: bench.path(`lib-${format}.ts`), line: 4 });
      await bench.debug('terminate');
    }
  });

  it('is not held up by a source map that is a pipe', async () => {
    bench = await openDebugBench({ 'a.cjs': 'console.log(1);\n//# sourceMappingURL=a.map\n' });
    execFileSync('mkfifo', [bench.path('a.map')]);
    const stopped = await bench.debug('launch', { program: 'a.cjs' });
    expect(stopped.details.snapshot.place).toMatchObject({ line: 1 });
    expect(await bench.refused('launch', { program: 'a.map' }, 'two')).toMatch(/not a file/);
  });

  it('of a program that writes without end keeps the newest output, and can be ended', async () => {
    const text = `const line = 'x'.repeat(1000);\nconst write = () => { for (let i = 0; i < 100; i++) process.stdout.write(line + '\\u001b[2J\\n'); setImmediate(write); };\nwrite();\n`;
    bench = await openDebugBench({ 'a.cjs': text }, { debugger: { outputKilobytes: 64 } });
    await bench.debug('launch', { program: 'a.cjs', stop_on_entry: false });
    await until(
      async () => (await bench?.debug('sessions'))?.details.snapshot.isOutputCut === true,
      'the output is cut',
    );
    const output = await bench.debug('output');
    expect(Buffer.byteLength(output.text)).toBeLessThan(60 * 1024);
    expect(output.text).toMatch(/^\[The start was left out/);
    expect(output.text).not.toContain('\u001b');
    expect((await bench.debug('terminate')).text).toMatch(/has ended/);
  });
});

describe('frames of a WebSocket', () => {
  it('are read whole, wherever they are cut', () => {
    const texts = fc.array(fc.string({ maxLength: 70_000, unit: 'binary-ascii' }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 20 }), (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(serverFrame));
        const reader = new FrameReader();
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
        const found = places.slice(1).flatMap((end, index) => reader.push(bytes.subarray(places[index], end)));
        expect(found.map(({ payload }) => payload.toString())).toEqual(messages);
      }),
      { numRuns: caseCount(50) },
    );
  });

  it('of a client are masked', () => {
    const frame = encodeFrame(1, Buffer.from('hello'));
    expect(frame[1]).toBe(0x85);
    expect(frame.subarray(6).toString()).not.toBe('hello');
    expect(() => new FrameReader().push(frame)).toThrow(/mask/);
  });

  it('that claim to be huge are refused', () => {
    expect(() => new FrameReader().push(Buffer.from('817f7fffffffffffffff', 'hex'))).toThrow(/too long/);
  });
});

describe('hit counts', () => {
  it('know operators; what is no count stops always', () => {
    expect([1, 2, 3, 4].map((hits) => isReached(hits, '3'))).toEqual([false, false, true, false]);
    expect([2, 3, 4].map((hits) => isReached(hits, '>= 3'))).toEqual([false, true, true]);
    expect([2, 3, 4].map((hits) => isReached(hits, '%2'))).toEqual([true, false, true]);
    expect(isReached(1, 'often')).toBe(true);
  });
});

describe('source maps', () => {
  it('that are none are passed over', () => {
    for (const text of ['', '{', '[]', '{"sources":[],"mappings":"!!"}', '{"mappings":""}', 'null'])
      expect(SourceMap.read(text, '/x/a.js'), text).toBeUndefined();
  });

  it('lead there and back', async () => {
    const { transform } = await import('esbuild');
    const source = 'type A = 1;\n\nconst a: A = 1;\nexport function f(x: number) {\n  return x + a;\n}\n';
    const { map } = await transform(source, { loader: 'ts', sourcemap: 'external', sourcefile: 'a.ts' });
    const read = SourceMap.read(map, '/x/a.js');
    const at = read?.toGenerated('/x/a.ts', 4);
    expect(at && read?.toOriginal(at)).toMatchObject({ path: '/x/a.ts', position: { line: 4 } });
    // Types are gone: the next line with code counts.
    expect(read?.toGenerated('/x/a.ts', 0)).toEqual(read?.toGenerated('/x/a.ts', 2));
  });
});

function serverFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
