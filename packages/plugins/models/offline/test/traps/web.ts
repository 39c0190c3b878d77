import type { MarkedFiles } from '../marked.ts';

/** JavaScript that node runs: every way to import, and everything else that a name can be. */
export const WEB: MarkedFiles = {
  'web/package.json': '{ "type": "module", "description": "load" }\n',
  'web/load.js': `/** load reads a path. */
export function ⟦load⟧(path) {
  return \`load:\${path}\`; // load
}
export function report(load) {
  const inner = { load };
  return inner.load + load + ((load) => load)('x') + [1].map(function load(n) { return n + load.length; });
}
export const api = { ⟦load|load: fetchAll⟧, other: 1, 'load': ⟦load⟧ };
function nested() {
  const load = 3;
  for (const load of [4]) if (load > 4) return load;
  try { throw 5; } catch (load) { return load; }
  return load;
}
export const twice = (path) => ⟦load⟧(path) + nested() + /load/.test('load');
export class Box {
  #load = 1;
  load() { return this.#load + this.constructor.name; }
  static of() { return new Box().load(); }
}
load: for (;;) break load;
export { ⟦load⟧ as plus };
export default ⟦load⟧;
`,
  'web/other.js': "export function load() { return 'other'; }\nexport const { load: picked } = { load: 1 };\n",
  'web/barrel.js': "export { ⟦load⟧ } from './load.js';\nexport { ⟦load⟧ as minus } from './load.js';\n",
  'web/all.js': "export * from './load.js';\n",
  'web/again.js':
    "import { ⟦load⟧ } from './all.js';\nexport { ⟦load⟧ };\nexport { load as unrelated } from './other.js';\n",
  'web/default.js': "import ⟦load⟧ from './load.js';\nexport const viaDefault = ⟦load⟧('d');\n",
  'web/lazy.js': `const { ⟦load⟧ } = await import('./load.js');
const { ⟦load⟧: renamed, twice } = await import('./load.js');
export const then = await import('./load.js').then(({ ⟦load⟧ }) => ⟦load⟧('t'));
export const module = await import('./load.js').then((all) => all.⟦load⟧('m'));
export const lazy = [⟦load⟧('1'), renamed('2'), (await import('./load.js')).⟦load⟧('3'), twice('4')];
`,
  'web/thing.cjs': 'function load() { return "cjs"; }\nmodule.exports = { load };\n',
  'web/old.cjs': "const { load } = require('./thing.cjs');\nmodule.exports.load = load;\n",
  'web/builtin.js': "import { join as load } from 'node:path';\nexport const joined = load('a', 'b');\n",
  'web/main.js': `import { ⟦load⟧ as l, api, Box, plus, report, twice } from './load.js';
import { ⟦load⟧, minus } from './barrel.js';
import * as whole from './all.js';
import * as stranger from './other.js';
import { ⟦load⟧ as third, unrelated } from './again.js';
import { viaDefault } from './default.js';
import { lazy, module, then } from './lazy.js';
import { joined } from './builtin.js';
import old from './old.cjs';
const set = { load: () => 'set' };
console.log('web', l('a'), ⟦load⟧('b'), whole.⟦load⟧('c'), stranger.load(), third('e'), unrelated(), api.load('f'), plus('g'), minus('h'));
console.log(viaDefault, lazy, then, module, joined, old.load(), set.load(), Box.of(), report('r'), twice('t'), new Map([['load', 1]]));
`,
  'web/page.md': 'Call `load`.\n',
};

/** CommonJS, where what is offered is one object. */
export const COMMON: MarkedFiles = {
  'cjs/store.cjs':
    'const ⟦keep⟧ = (x) => x + 1;\nfunction other() { return ⟦keep⟧(1); }\nmodule.exports = { ⟦keep⟧, other };\n',
  'cjs/single.cjs': 'function keep() { return 5; }\nexports.keep = keep;\n',
  'cjs/use.cjs': `const { ⟦keep⟧ } = require('./store.cjs');
const { ⟦keep⟧: kept } = require('./store.cjs');
const store = require('./store.cjs');
const single = require('./single.cjs');
console.log('cjs', ⟦keep⟧(1), kept(2), store.⟦keep⟧(3), require('./store.cjs').⟦keep⟧(4), single.keep(), store.other());
`,
  'cjs/esm.mjs':
    "import store from './store.cjs';\nimport { ⟦keep⟧ } from './store.cjs';\nconsole.log('esm', store.⟦keep⟧(1), ⟦keep⟧(2));\n",
};
