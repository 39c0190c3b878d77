import type { MarkedFiles } from '../marked.ts';

/** TypeScript that tsc checks: types, members, overloads, namespaces. */
export const TYPED: MarkedFiles = {
  'ts/tsconfig.json':
    '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "target": "es2022", "jsx": "preserve", "types": [], "allowImportingTsExtensions": true, "noUnusedLocals": false }, "include": ["*.ts"] }\n',
  'ts/package.json': '{ "type": "module" }\n',
  'ts/store.ts': `export function ⟦pick⟧(key: string): string;
export function ⟦pick⟧(key: number): number;
export function ⟦pick⟧(key: string | number): string | number {
  return key;
}
export type Picker = typeof ⟦pick⟧;
export interface Api {
  pick(): void;
  other?: Picker;
}
export enum Mode {
  pick,
  drop,
}
export type Named = { pick: Mode.pick };
export function generic<pick>(value: pick, options: { pick?: boolean } = {}): pick {
  return options.pick ? value : value;
}
export abstract class Base {
  abstract pick(): string;
  constructor(protected readonly key: string) {}
}
export type Fn = (pick: string) => void;
export namespace Inner {
  export const pick = 1;
}
export const inner = Inner.pick;
export const chosen: Record<string, Picker> = { ⟦pick|pick: choose⟧ };
export const { pick: taken } = { pick: 2 };
`,
  'ts/use.ts': `import { type Api, Base, ⟦pick⟧, type Picker } from './store.ts';
import type * as types from './store.ts';
import type { ⟦pick⟧ as Later } from './store.js';
export const value: string = ⟦pick⟧('a');
export const typed: typeof ⟦pick⟧ = ⟦pick⟧;
export const later: typeof Later = ⟦pick⟧;
export type Whole = typeof types.⟦pick⟧;
export type Loaded = typeof import('./store.ts').⟦pick⟧;
export class Here extends Base implements Api {
  pick(): string {
    const pick = this.key;
    return pick;
  }
  run(picker: Picker = ⟦pick⟧): string {
    return picker(this.pick());
  }
}
`,
  'ts/jsx.tsx': `import { ⟦pick⟧ } from './store.js';
declare const Frame: (props: { pick: unknown }) => unknown;
export const shown = () => <Frame pick={⟦pick⟧('x')}>pick {⟦pick⟧(1)} don't</Frame>;
`,
  'ts/package.ts':
    "// @ts-expect-error: no such package\nimport { pick } from 'some-npm-package';\nexport const far: unknown = pick;\n",
  'ts/widget.ts': `export class ⟦Widget⟧<T> {
  items: T[] = [];
  clone(): ⟦Widget⟧<T> {
    return new ⟦Widget⟧<T>();
  }
  static of(): ⟦Widget⟧<string> {
    return new this<string>() as ⟦Widget⟧<string>;
  }
}
export const all: Map<string, ⟦Widget⟧<number>> = new Map();
export const label = 'Widget';
export function shadow<Widget>(value: Widget): Widget {
  return value;
}
`,
};
