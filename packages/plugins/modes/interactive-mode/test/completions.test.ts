/** What the editor offers while a slash command is typed. */
import { expect, it } from 'vitest';
import { slashCompletions } from '../src/prompt/completions.ts';

const source = slashCompletions(async () => [
  { name: 'login', kind: 'screen', argumentHint: '[PROVIDER]' },
  { name: 'logout', kind: 'screen' },
]);

/** The names that are offered for a text, each with whether Enter sends it at once. */
async function offered(typed: string) {
  const place = { lineNumber: 0, isAsked: false };
  const found = await source.complete(typed, typed.length, new AbortController().signal, place);
  return found?.items.map(({ value, submits }) => [value, submits]);
}

it('sends a command whose whole name is written with one Enter, even if an argument could follow', async () => {
  expect(await offered('/log')).toEqual([
    ['/login ', false],
    ['/logout ', true],
  ]);
  expect(await offered('/login')).toEqual([['/login ', true]]);
  expect(await offered('/login anthropic')).toBeUndefined();
});
