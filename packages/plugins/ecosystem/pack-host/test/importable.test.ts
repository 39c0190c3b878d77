import { describe, expect, it } from 'vitest';
import { BOUNDARY } from '../src/boundary/table.ts';
import { SHARED } from '../src/pack-modules.ts';

describe('what packs may import', () => {
  it('has everything that the boundary lets them reach', () => {
    const tokens = Object.values(SHARED).flatMap((module) => Object.values(module) as unknown[]);
    const ids = tokens.flatMap((token) => {
      const { kind, id } = (token ?? {}) as { kind?: unknown; id?: unknown };
      return typeof kind === 'string' && typeof id === 'string' ? [`${kind} ${id}`] : [];
    });
    expect(BOUNDARY.map(({ kind, id }) => `${kind} ${id}`).filter((row) => !ids.includes(row))).toEqual([]);
  });
});
