/** `local://` and `plan://`: files of one session that the model may write. */
import { join } from 'node:path';
import { parseAddress } from '../address.ts';
import type { UrlCall, UrlScheme } from '../api.ts';
import { filesInside, listingText, pathInside, readInside, writeInside } from '../contained-folder.ts';
import { errors } from '../errors.ts';
import type { SessionPlaces } from '../session-places.ts';

/** The session of a call; what belongs to a session cannot be reached without one. */
export function sessionOf(url: string, { scope }: UrlCall): string {
  if (!scope) throw errors.create('URLS_NO_SESSION', { url });
  return scope.session;
}

const LOCAL_FORM = 'local://PATH, with a relative path; local:// lists the files';

/** `local://PATH`: scratch files of a session. */
export function localScheme(places: SessionPlaces): UrlScheme {
  const rootOf = async (url: string, call: UrlCall) => join(await places.folder(sessionOf(url, call)), 'local');
  const wanted = (url: string) => {
    const { segments } = parseAddress(url, LOCAL_FORM);
    if (segments.length > 0) return segments;
    throw errors.create('URLS_INVALID', { url, reason: 'it names no file', form: LOCAL_FORM });
  };
  return {
    async read(url, call) {
      const { segments } = parseAddress(url, LOCAL_FORM);
      const root = await rootOf(url, call);
      const content = await readInside(root, segments, url);
      if (content !== undefined && content !== 'folder') return content;
      if (content === undefined && segments.length > 0) {
        throw errors.create('URLS_NOT_FOUND', {
          url,
          hint: 'local:// lists what there is; writing to the address makes the file.',
        });
      }
      const listing = listingText('local', await filesInside(root, segments, url));
      return {
        content: listing || 'There is no file yet. Write to local://NAME to make one.',
        contentType: 'text/plain',
      };
    },
    async write(url, content, call) {
      await writeInside(await rootOf(url, call), wanted(url), url, content);
    },
    locate: async (url, call) => {
      const { segments } = parseAddress(url, LOCAL_FORM);
      return pathInside(await rootOf(url, call), segments, url);
    },
  };
}

const PLAN_FORM = 'plan://';
const PLAN_FILE = 'plan.md';

/** `plan://`: what the session is going to do. */
export function planScheme(places: SessionPlaces): UrlScheme {
  const folderOf = async (url: string, call: UrlCall) => {
    const { segments } = parseAddress(url, PLAN_FORM);
    const [name, more] = segments;
    if (more !== undefined || (name !== undefined && name !== PLAN_FILE && name !== 'current')) {
      throw errors.create('URLS_INVALID', { url, reason: 'a session has one plan', form: PLAN_FORM });
    }
    return places.folder(sessionOf(url, call));
  };
  return {
    async read(url, call) {
      const plan = await readInside(await folderOf(url, call), [PLAN_FILE], url);
      if (plan !== undefined && plan !== 'folder') return plan;
      throw errors.create('URLS_NOT_FOUND', { url, hint: 'This session has no plan yet. Write one to plan://.' });
    },
    async write(url, content, call) {
      await writeInside(await folderOf(url, call), [PLAN_FILE], url, content);
    },
    locate: async (url, call) => pathInside(await folderOf(url, call), [PLAN_FILE], url),
  };
}
