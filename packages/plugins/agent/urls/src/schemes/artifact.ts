import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAddress } from '../address.ts';
import type { UrlCall, UrlScheme } from '../api.ts';
import { readFileContent } from '../contained-folder.ts';
import { errors } from '../errors.ts';
import type { SessionPlaces } from '../session-places.ts';
import { sessionOf } from './session-files.ts';

const FORM = 'artifact://ID, where ID is a number; artifact:// lists them';

interface Artifact {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
}

/** `artifact://ID`: full outputs of tools, kept beside their session. */
export function artifactScheme(places: SessionPlaces): UrlScheme {
  const all = async (session: string): Promise<readonly Artifact[]> => {
    const folder = await places.artifacts(session);
    const names = folder === undefined ? [] : await readdir(folder).catch(() => []); // No artifact yet: no folder.
    return names
      .flatMap((name) => {
        const [, id, kind] = /^(\d+)\.(.+)\.log$/.exec(name) ?? [];
        return id === undefined || kind === undefined ? [] : [{ id, kind, path: join(folder ?? '', name) }];
      })
      .sort((a, b) => Number(a.id) - Number(b.id));
  };
  const find = async (url: string, call: UrlCall): Promise<{ path?: string; known: readonly Artifact[] }> => {
    const { segments } = parseAddress(url, FORM);
    const [id, more] = segments;
    if (more !== undefined || (id !== undefined && !/^\d+$/.test(id))) {
      throw errors.create('URLS_INVALID', { url, reason: 'the id of an artifact is a number', form: FORM });
    }
    const known = await all(sessionOf(url, call));
    const path = known.find((artifact) => artifact.id === id)?.path;
    if (id !== undefined && path === undefined) {
      const hint =
        known.length === 0
          ? 'This session has no artifact.'
          : `The ids are: ${known.map((listed) => listed.id).join(', ')}.`;
      throw errors.create('URLS_NOT_FOUND', { url, hint });
    }
    return { known, ...(path !== undefined && { path }) };
  };
  return {
    async read(url, call) {
      const { path, known } = await find(url, call);
      if (path !== undefined) return { ...(await readFileContent(path, url)), immutable: true };
      const lines = known.map(({ id, kind }) => `artifact://${id}  ${kind}`);
      return { content: lines.join('\n') || 'This session has no artifact.', contentType: 'text/plain' };
    },
    locate: async (url, call) => (await find(url, call)).path,
  };
}
