/** Whether a path stays in a folder: a link on the way would lead out of it. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** The first part of the way that is there and is no folder, from the top; nothing when the way is free. */
export function obstacleOnWay(top: string, path: string): string | undefined {
  const parts = path.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count++) {
    const part = parts.slice(0, count).join('/');
    const stats = lstatSync(join(top, part), { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (!stats.isDirectory()) return part;
  }
  return undefined;
}

/** Whether a path below a folder is a folder, with no link on the way. */
export function isOwnFolder(top: string, path: string): boolean {
  return (
    obstacleOnWay(top, path) === undefined &&
    (lstatSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() ?? false)
  );
}
