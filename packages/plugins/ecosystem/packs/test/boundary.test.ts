/** The table of what packs reach says the same as the tokens and as the documentation. */
import { readFileSync } from 'node:fs';
import type { Token } from '@tenon/kernel';
import { BOUNDARY, type BoundaryRow, wantedPermissions } from '@tenon/pack-host/api';
import { createTenon } from '@tenon/sdk';
import { inCheckout } from '@tenon/test-kit/plugins';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, it } from 'vitest';

const KINDS = ['slot', 'service', 'hook'] as const;
const nameOf = ({ kind, id }: Pick<BoundaryRow, 'kind' | 'id'>) => `${kind} ${id}`;

it('lists exactly the tokens of built-in plugins that are open to packs', async () => {
  const tenon = await createTenon({ home: temporaryFolder(), cwd: temporaryFolder(), packs: false });
  later(() => tenon.dispose());
  const { kernel } = tenon;
  const open: Token[] = [];
  for (const { manifest } of kernel.status())
    for (const kind of KINDS)
      for (const id of manifest.defines?.[`${kind}s`] ?? []) {
        const token = await kernel.token(kind, id);
        if (token.access === 'packs') open.push(token);
      }
  expect(open.map(nameOf).sort()).toEqual(BOUNDARY.map(nameOf).sort());
});

it('is documented row by row, with what may be done and whether somebody must agree', () => {
  const page = readFileSync(inCheckout('docs', 'design', 'packs.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (slot|service|hook) `([^`]+)` \| ([^|]+) \|/gm)].map(
    ([, kind, id, may = '']) => `${kind} ${id}: ${may.trim().replace(/ if it has .*$/, '')}`,
  );
  const expected = BOUNDARY.map(({ kind, id, may, consent }) => {
    const isAsked = consent !== undefined || ['tool.call', 'url-schemes', 'renderers'].includes(id);
    return `${kind} ${id}: ${may.join(', ')}${isAsked ? '; consent' : ''}`;
  });
  expect(rows).toEqual(expected);
});

it('asks about a scheme of a pack that has a way out: an agent reads URLs without a question', () => {
  const manifest = { id: 'x', version: '1.0.0', kernel: '^1', contributes: { 'url-schemes': { x: {} } } };
  expect(wantedPermissions(manifest)).toEqual({});
  for (const permissions of [{ net: ['a.example'] }, { exec: ['git'] }, { fs: { write: ['./out/**'] } }])
    expect(wantedPermissions({ ...manifest, permissions })).toEqual({ ...permissions, uses: ['url-schemes'] });
  expect(wantedPermissions({ ...manifest, permissions: { env: ['EDITOR'] } })).toEqual({ env: ['EDITOR'] });
});
