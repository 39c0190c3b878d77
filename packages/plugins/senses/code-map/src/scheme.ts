/** `outline://`: the map of the code in the session's folder. */
import type { UrlScheme } from '@tenon/urls/api';
import { parseQuestion } from './address.ts';
import type { Maps } from './maps.ts';
import { describe } from './present.ts';

/** The scheme over the maps. */
export function outlineScheme(maps: Maps, cwd: string): UrlScheme {
  return {
    async read(url, { signal, scope }) {
      const question = parseQuestion(url);
      const answer = await maps.ask(scope?.cwd ?? cwd, question, { signal });
      const { totals, tokens, files, unknownFocus } = answer;
      return {
        content: answer.text === '' ? 'There is no code with definitions here.\n' : answer.text,
        contentType: 'text/plain',
        notes: describe(answer, question),
        details: { totals, tokens, files: files.length, ...(unknownFocus.length > 0 && { unknownFocus }) },
      };
    },
  };
}
