import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvals } from '../src/api.ts';
import { type Home, makeHome } from './support.ts';
import { startTenon, type Tenon } from './tenon.ts';

let home: Home;
let tenon: Tenon;
beforeEach(async () => {
  home = makeHome();
  tenon = await startTenon(home.folders);
});
afterEach(async () => {
  await tenon.end();
  home.remove();
});

const write = async (session: string) =>
  (await tenon.call('write', { path: `${session}.txt`, content: 'x' }, { session })).isError === true;

it('a mode that the user chooses for a session holds for it and its subagents, and for no other', async () => {
  const gate = await tenon.kernel.find(approvals);
  expect(gate.modeOf('one')).toBe('ask');
  gate.setMode('one', 'strict');
  const release = gate.adopt('child', { parent: 'one', label: 'explore', sharesFolder: false });
  expect([await write('one'), await write('child'), await write('two')]).toEqual([true, true, false]);
  expect(gate.modeOf('one')).toBe('strict');
  release();
  expect(await write('child')).toBe(false);
  gate.setMode('one', undefined);
  expect(await write('one')).toBe(false);
});
