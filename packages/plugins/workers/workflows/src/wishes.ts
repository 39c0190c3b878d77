/** How other processes reach the one that works on a workflow: files in its folder, taken in order. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Something that a person wants of a workflow that another process works on. */
export type Wish =
  | { readonly type: 'cancel' }
  | { readonly type: 'answer'; readonly step: string; readonly answer: string };

const FOLDER = 'wishes';

/** Leaves a wish. */
export async function leaveWish(folder: string, wish: Wish): Promise<void> {
  const place = join(folder, FOLDER);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const name = `${Date.now()}-${randomBytes(4).toString('hex')}`;
  await writeFile(join(place, `.${name}`), JSON.stringify(wish), { mode: 0o600 });
  await rename(join(place, `.${name}`), join(place, name));
}

/** Hands over the wishes that were left, in order. One is gone only when it was fulfilled: a crash loses none. */
export async function takeWishes(folder: string, fulfil: (wish: Wish) => Promise<void>): Promise<void> {
  const place = join(folder, FOLDER);
  if (!existsSync(place)) return;
  const names = (await readdir(place)).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    await fulfil(JSON.parse(await readFile(join(place, name), 'utf8')) as Wish);
    await rm(join(place, name));
  }
}
