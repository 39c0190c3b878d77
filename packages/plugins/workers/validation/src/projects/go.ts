/** Go projects; with a go.work only the modules that changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isProse, packagesOf, type ProjectKind } from '../project.ts';

/** Finds the steps of a Go project. */
export const goProject: ProjectKind = ({ root, files }) => {
  if (existsSync(join(root, 'go.work'))) {
    const counted = files?.filter((file) => !isProse(file)) ?? [];
    const modules = packagesOf(counted, (folder) => existsSync(join(root, folder, 'go.mod')));
    if (modules.has('') || modules.size === 0) return undefined;
    return {
      isScoped: true,
      how: 'go (go.work)',
      steps: [...modules].sort().flatMap((folder) => stepsIn(root, folder)),
    };
  }
  if (!existsSync(join(root, 'go.mod'))) return undefined;
  return { isScoped: false, how: 'go (go.mod)', steps: stepsIn(root, '') };
};

function stepsIn(root: string, folder: string) {
  const what = folder === '' ? '' : ` in ${folder}`;
  return ['build', 'vet', 'test'].map((word) => ({
    title: `go ${word}${what}`,
    argv: ['go', word, './...'],
    cwd: join(root, folder),
  }));
}
