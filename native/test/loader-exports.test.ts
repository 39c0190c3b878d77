import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { findAddon } from '../src/loader.ts';

const inventory = fileURLToPath(new URL('../src/generated.d.ts', import.meta.url));
const { addon, attempts } = findAddon();
const why = addon ? '' : ` (skipped: ${attempts.map((attempt) => attempt.reason).join('; ')})`;

describe.skipIf(!addon)(`the generated inventory of the addon${why}`, () => {
  it('lists exactly what the addon exports; `npm run types -w native` writes it anew', () => {
    expect(existsSync(inventory)).toBe(true);
    const declared = readFileSync(inventory, 'utf8').matchAll(/^export declare (?:function|class|const) (\w+)/gm);
    expect([...declared].map((match) => match[1]).toSorted()).toEqual(Object.keys(addon ?? {}).toSorted());
  });
});
