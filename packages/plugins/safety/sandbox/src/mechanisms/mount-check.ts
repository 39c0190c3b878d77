/**
 * Makes sure that protected parts of a workspace are where they should be. Bubblewrap mounts by name; a program of an earlier
 * sandbox in the same workspace could put a link in place of a folder at that very moment, and what the link leads to would be
 * shown instead. Inside, before the program starts, nothing can be swapped any more: the table of mounts tells what was made.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isInside } from '../paths.ts';

/** Looks for every expected piece of the table, then becomes the program. Before each piece: what must not be in the table without it; nothing is always there. */
const CHECK = `tenon_mounts=$(cat /proc/self/mountinfo)
tenon_left=$1
shift
while [ "$tenon_left" -gt 0 ]; do
  case $tenon_mounts in
    *"$2"*) ;;
    *"$1"*)
      echo 'sandbox: the workspace was changed while its protected parts were closed off; try again' >&2
      exit 126
      ;;
  esac
  shift 2
  tenon_left=$((tenon_left - 1))
done
exec "$@"`;

/**
 * Words that go between bubblewrap and the program. A path that `isPassing` may be mounted nowhere, but nothing else may be mounted
 * there. `table` is the host's /proc/self/mountinfo.
 */
export function mountCheckArgv(
  paths: readonly string[],
  isPassing: (path: string) => boolean = () => false,
  table = readFileSync('/proc/self/mountinfo', 'utf8'),
): string[] {
  const mounts = table.split('\n').flatMap((line) => {
    const [, , , root, place] = line.split(' ');
    return root === undefined || place === undefined ? [] : [{ root: plain(root), place: plain(place) }];
  });
  const expected = paths.flatMap((path) => {
    // The last of equals lies on top.
    const around = mounts
      .filter(({ place }) => isInside(path, place))
      .reduce<(typeof mounts)[number] | undefined>(
        (best, mount) => (best && best.place.length > mount.place.length ? best : mount),
        undefined,
      );
    if (!around) return [];
    const place = ` ${escaped(path)} `;
    return [[isPassing(path) ? place : '', ` ${escaped(join(around.root, relative(around.place, path)))}${place}`]];
  });
  return ['/bin/sh', '-c', CHECK, 'tenon-check', String(expected.length), ...expected.flat()];
}

/** The kernel writes blanks, tabs, line breaks and backslashes as octal numbers. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function escaped(text: string): string {
  return text.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
