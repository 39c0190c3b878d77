/** What a plugin brings that nothing in Tenon uses. Remove a line when a plugin uses the kind. */
import { counted } from '@tenon/wording';
import type { FileRecord } from '../tree/file-list.ts';
import type { Review } from './review.ts';

/** Kind -> names. */
export type Idle = Readonly<Record<string, readonly string[]>>;

/** Collects them from the plugin's files; kinds without any are left out. */
export function idleParts(files: readonly FileRecord[]): Idle {
  const styles = files.flatMap(({ path }) => /^output-styles\/([^/]+)\.md$/.exec(path)?.[1] ?? []);
  const apps = files.filter(({ path }) => path === '.app.json').map(({ path }) => path);
  const all = { 'output style': styles, 'Codex app list': apps };
  return Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0));
}

/** A sentence about them; nothing when all that the plugin brings has an effect. */
export function idleText({ idle, brings, powers }: Pick<Review, 'idle' | 'brings' | 'powers'>): string | undefined {
  const parts = Object.entries(idle).map(([kind, names]) => counted(names.length, kind));
  if (Object.keys(brings).length === 0 && powers.length === 0)
    return parts.length === 0
      ? 'Tenon uses nothing in it.'
      : `Tenon uses nothing in it: it has only ${parts.join(', ')}.`;
  return parts.length === 0 ? undefined : `Tenon does not use: ${parts.join(', ')}.`;
}
