/** What a plugin brings that Tenon finds and lists, and that nothing uses yet. Remove a line when a plugin uses the kind. */
import { counted } from '@tenon/wording';
import type { FileRecord } from '../tree/file-list.ts';
import type { Review } from './review.ts';

/** Kind -> names. */
export type Idle = Readonly<Record<string, readonly string[]>>;

/** What the readers found of the kinds that nothing uses. */
export interface IdleParts {
  readonly agents: readonly string[];
  readonly themes: readonly string[];
  readonly lsp: readonly string[];
  readonly files: readonly FileRecord[];
}

/** Collects them; kinds without any are left out. */
export function idleParts({ agents, themes, lsp, files }: IdleParts): Idle {
  const styles = files.flatMap(({ path }) => /^output-styles\/([^/]+)\.md$/.exec(path)?.[1] ?? []);
  const apps = files.filter(({ path }) => path === '.app.json').map(({ path }) => path);
  const all = {
    subagent: agents,
    'language server': lsp,
    theme: themes,
    'output style': styles,
    'Codex app list': apps,
  };
  return Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0));
}

/** A sentence about them; nothing when all that the plugin brings has an effect. */
export function idleText({ idle, brings, powers }: Pick<Review, 'idle' | 'brings' | 'powers'>): string | undefined {
  const parts = Object.entries(idle).map(([kind, names]) => counted(names.length, kind));
  if (parts.length === 0) return undefined;
  const isAll =
    Object.keys(brings).every((kind) => kind === 'agents' || kind === 'themes') &&
    powers.every(({ kind }) => kind === 'lsp');
  return `${isAll ? 'Nothing in it has an effect yet' : 'Has no effect yet'}: ${parts.join(', ')}.`;
}
