/** What makes the modules of the built program load their imports late: as CommonJS that esbuild wrote, run for real. */
import { createRequire } from 'node:module';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { exportsVariables, sharedExports, withLateImports } from '../program/quick-program.mjs';

const nodeRequire = createRequire(import.meta.url);

/** The module's exports, and what it has loaded so far. */
async function run(source: string, modules: Record<string, unknown>) {
  const options = { format: 'cjs', platform: 'node', minifySyntax: true, minifyWhitespace: true } as const;
  const { code } = await transform(source, options);
  const loaded: string[] = [];
  const require = (name: string): unknown => {
    loaded.push(name);
    return modules[name] ?? nodeRequire(name);
  };
  const module = { exports: {} as Record<string, (...words: unknown[]) => unknown> };
  new Function('exports', 'require', 'module', withLateImports(code))(module.exports, require, module);
  return { exports: module.exports, loaded };
}

describe('late imports', () => {
  it('load a module at its first use, once', async () => {
    const source = `
      import { double } from './chunk-AAAA1111.js';
      import { basename } from 'node:path';
      export const work = (n) => double(double(n));
      export const name = (path) => basename(path);
    `;
    const { exports, loaded } = await run(source, { './chunk-AAAA1111.js': { double: (n: number) => n * 2 } });
    expect(loaded).toEqual([]);
    expect(exports['work']?.(3)).toBe(12);
    expect(loaded).toEqual(['./chunk-AAAA1111.js']);
    expect(exports['name']?.('a/b')).toBe('b');
  });

  it('make instances, extend classes and pass on what they export', async () => {
    const source = `
      import { Base, Other } from './chunk-AAAA1111.js';
      export { passed } from './chunk-BBBB2222.js';
      export const make = (n) => new Other(n).n;
      export const child = () => new (class extends Base {})().who();
    `;
    class Base {
      who = () => 'base';
    }
    class Other {
      readonly n: number;
      constructor(n: number) {
        this.n = n;
      }
    }
    const modules = { './chunk-AAAA1111.js': { Base, Other }, './chunk-BBBB2222.js': { passed: () => 'on' } };
    const { exports, loaded } = await run(source, modules);
    expect(loaded).toEqual([]);
    expect([exports['make']?.(7), exports['child']?.()]).toEqual([7, 'base']);
    expect(loaded).toEqual(['./chunk-AAAA1111.js']);
    expect(exports['passed']?.()).toBe('on');
  });

  it('load what the module uses while it starts', async () => {
    const source =
      "import { start } from './chunk-AAAA1111.js'; const value = start(); export const get = () => value;";
    const { exports, loaded } = await run(source, { './chunk-AAAA1111.js': { start: () => 5 } });
    expect(loaded).toEqual(['./chunk-AAAA1111.js']);
    expect(exports['get']?.()).toBe(5);
  });

  it('wait with a CommonJS package that the bundler wrapped', async () => {
    const source = `
      import { __toESM } from './chunk-HELP0000.js';
      import { require_dist } from './chunk-YAML0000.js';
      var import_yaml = __toESM(require_dist(), 1);
      export const parse = (text) => import_yaml.parse(text);
    `;
    const helpers = { __toESM: (whole: unknown) => whole };
    const yaml = { require_dist: () => ({ parse: (text: string) => text.length }) };
    const { exports, loaded } = await run(source, { './chunk-HELP0000.js': helpers, './chunk-YAML0000.js': yaml });
    expect(loaded).toEqual([]);
    expect(exports['parse']?.('abc')).toBe(3);
  });

  it('leave a module alone that is used as a whole', async () => {
    const source = "import * as all from './chunk-AAAA1111.js'; export const names = () => Object.keys(all);";
    const { exports, loaded } = await run(source, { './chunk-AAAA1111.js': { a: 1, b: 2 } });
    expect(loaded).toEqual(['./chunk-AAAA1111.js']);
    expect(exports['names']?.()).toEqual(expect.arrayContaining(['a', 'b']));
  });
});

describe('the head of a module', () => {
  const options = {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
  } as const;

  /** What a module exports by the loader's function, and whether its own helpers are gone. */
  async function run(source: string, isFixed = false, require: (name: string) => unknown = nodeRequire) {
    const shared = await sharedExports(transform);
    const code = shared((await transform(source, options)).code, isFixed);
    const exports: Record<string, unknown> = {};
    const module = { exports };
    const named: string[] = [];
    const exportAll = (target: object, getters: Record<string, () => unknown>) => {
      for (const [name, get] of Object.entries(getters)) {
        named.push(name);
        Object.defineProperty(target, name, { get, enumerable: true });
      }
    };
    new Function('exports', 'require', 'module', '__export', code)(exports, require, module, exportAll);
    return { exports: module.exports, named, isShared: !code.includes('__toCommonJS') };
  }

  it('is one call of the loader, whatever names are exported', async () => {
    const source =
      'let n = 1; export const add = () => ++n; export { n, n as "a name" }; export default class { is = "default"; }';
    const { exports, named, isShared } = await run(source);
    expect(isShared).toBe(true);
    expect(named.toSorted()).toEqual(['a name', 'add', 'default', 'n']);
    (exports['add'] as () => void)();
    expect([exports['n'], exports['a name']]).toEqual([2, 2]);
  });

  it('stays where the module needs more of it', async () => {
    const { exports, isShared } = await run("export * from 'node:path'; export const own = 1;");
    expect(isShared).toBe(false);
    expect(exports['own']).toBe(1);
    expect(exports['basename']).toBeTypeOf('function');
  });

  it('is an object of values where they never change; what comes from another module waits until it is asked for', async () => {
    const loaded: string[] = [];
    const require = (name: string) => (loaded.push(name), { passed: () => 'on' });
    const source = `
      export { passed } from './other.js';
      export class Kind { is = 'kind' }
      export const made = new Kind();
      export function early() { return typeof Kind; }
      export default made;
      export { made as "a name" };
    `;
    const { exports, named, isShared } = await run(source, true, (name) => require(name));
    expect(isShared).toBe(true);
    expect(named).toEqual(['passed']);
    expect(Object.keys(exports).toSorted()).toEqual(['Kind', 'a name', 'default', 'early', 'made', 'passed']);
    for (const name of ['Kind', 'early', 'made', 'default'])
      expect(Object.getOwnPropertyDescriptor(exports, name)).toHaveProperty('value');
    expect(exports['default']).toBe(exports['made']);
    expect(exports['a name']).toMatchObject({ is: 'kind' });
  });

  it('has functions from the beginning, for modules that import each other', async () => {
    const seen: unknown[] = [];
    const module = { exports: {} as Record<string, unknown> };
    const source =
      "import { other } from './other.js'; export const late = other; export function early() { return 1; }";
    const shared = await sharedExports(transform);
    const code = shared((await transform(source, options)).code, true);
    const require = () => {
      seen.push((module.exports['early'] as () => number)(), module.exports['late']);
      return { other: 2 };
    };
    new Function('exports', 'require', 'module', code)(module.exports, require, module);
    expect([seen, module.exports['late']]).toEqual([[1, undefined], 2]);
  });

  it('is never an object of values where a module exports a variable', () => {
    for (const source of [
      'export let n = 1;',
      'let n = 1;\nexport { n };',
      'let n;\nexport default n;',
      'export var n;',
    ])
      expect([source, exportsVariables(source)]).toEqual([source, true]);
    for (const source of ['let n = 1;\nexport const m = n;', 'export const n = 1;', 'const n = 1;\nexport { n };'])
      expect([source, exportsVariables(source)]).toEqual([source, false]);
  });
});
