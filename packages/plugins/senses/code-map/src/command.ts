/** `tenon map` */
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { isInside } from '@tenon/host';
import { plainText } from '@tenon/wording';
import { relative, sep } from 'node:path';
import { parseBudget } from './address.ts';
import { errors } from './errors.ts';
import type { Maps } from './maps.ts';
import { describe } from './present.ts';

/** Shows the map of the working folder, or of a part of it. */
export async function showMap(maps: Maps, { args, flags, cwd, io, signal }: CommandCall): Promise<void> {
  const budget = parseBudget(typeof flags['budget'] === 'string' ? flags['budget'] : undefined);
  const paths = Array.isArray(flags['focus']) ? flags['focus'] : [];
  const scope = typeof args['path'] === 'string' ? pathIn(cwd, args['path']) : '';
  const question = { scope, budget, focus: paths.map((path) => pathIn(cwd, path)) };
  const answer = await maps.ask(cwd, question, { signal, watch: false });
  if (flags['json']) return io.json(answer);
  await io.out(plainText(answer.text));
  for (const note of describe(answer, question)) await io.err(`${plainText(note)}\n`);
}

/** A path as the map knows it: relative to the folder, with slashes. */
function pathIn(root: string, path: string): string {
  const whole = resolve(root, path);
  if (!isInside(whole, root)) throw errors.create('CODE_MAP_OUTSIDE', { path, root });
  return relative(root, whole).split(sep).join('/');
}
