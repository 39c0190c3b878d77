/** Whether a new name is free wherever it is going to stand. */
import type { Binding, FileFacts, Mention } from './facts.ts';
import type { ModuleMap } from './modules/module-map.ts';
import type { Reach } from './reach.ts';

/** A line on which the new name is taken. */
export interface Clash {
  readonly path: string;
  readonly line: number;
  /** False when the name is only used there, for something that comes from elsewhere. */
  readonly isDeclared: boolean;
}

/** The lines on which the new name would mean two things. */
export function clashesOf(
  next: string,
  { bindings, certain }: Reach,
  files: readonly FileFacts[],
  map?: ModuleMap,
): Clash[] {
  const clashes = new Map<string, Clash>();
  const add = (path: string, line: number, isDeclared: boolean) =>
    clashes.set(`${path}:${line}`, { path, line, isDeclared });
  for (const file of files) {
    const ours = [...bindings].filter(({ path }) => path === file.path);
    const mentions = certain.filter(({ path }) => path === file.path);
    const namesakes = file.bindings.filter(({ name }) => name === next);
    for (const binding of namesakes) {
      const isTaken =
        ours.some((other) => hides(binding, other, mentions)) ||
        mentions.some((mention) => mention.usage === 'name' && !mention.binding && covers(binding, mention)) ||
        isShared(binding, file, bindings, files, map);
      if (isTaken) add(file.path, binding.line, true);
    }
    for (const mention of file.mentions) {
      if (mention.name !== next || mention.usage !== 'name') continue;
      const isCaught = ours.some(
        (binding) => binding.level !== 'member' && covers(binding, mention) && !isInside(mention.binding, binding),
      );
      if (isCaught) add(file.path, mention.line, mention.isDefinition === true);
    }
  }
  return [...clashes.values()];
}

/** True when one of two things of the same name would be hidden by the other. */
function hides(theirs: Binding, ours: Binding, mentions: readonly Mention[]): boolean {
  const isSame = theirs.scope.start === ours.scope.start && theirs.scope.end === ours.scope.end;
  if (ours.level === 'member' || theirs.level === 'member') return isSame && theirs.level === ours.level;
  if (isSame) return true;
  return isInside(theirs, ours) && mentions.some((mention) => mention.binding === ours && covers(theirs, mention));
}

function isInside(inner: Binding | undefined, outer: Binding): boolean {
  return inner !== undefined && inner.scope.start >= outer.scope.start && inner.scope.end <= outer.scope.end;
}

function covers({ scope }: Binding, { start }: Mention): boolean {
  return scope.start <= start && start < scope.end;
}

/** Files of one package share their names. */
function isShared(
  binding: Binding,
  file: FileFacts,
  ours: ReadonlySet<Binding>,
  files: readonly FileFacts[],
  map: ModuleMap | undefined,
): boolean {
  if (!map?.sharesNames || binding.level !== 'module') return false;
  const id = map.idOf(file, binding.inner);
  return [...ours].some((other) => {
    const home = files.find(({ path }) => path === other.path);
    return other.level === 'module' && home !== undefined && map.idOf(home, other.inner) === id;
  });
}
