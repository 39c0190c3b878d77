/** Checks what settings say about a CLI, beyond what their schema does. */
import { messageOf } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import { BUILT_IN } from '../adapters/built-in.ts';
import { errors } from '../errors.ts';
import type { WorkersSettings } from '../generated/settings.ts';

/** What settings say about one CLI. */
export type CustomSettings = WorkersSettings['custom'][string];

const PLACES = ['prompt', 'session', 'cwd', 'model', 'scratch', 'flags'];
const OUTPUTS = ['text', 'json-lines', ...Object.keys(BUILT_IN)];

/** Throws `WORKERS_CUSTOM` for the first thing that is wrong. */
export function checkCustom(id: string, settings: CustomSettings): void {
  const wrong = (key: string, reason: string): never => {
    throw errors.create('WORKERS_CUSTOM', { name: id, key, reason });
  };
  // It becomes part of file names and command lines.
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(id)) throw errors.create('WORKERS_CUSTOM_NAME', { name: id });
  const { output = 'text', args, resumeArgs, interactiveArgs, program } = settings;
  if (program.trim() === '') wrong('program', 'it is empty');
  if (!OUTPUTS.includes(output))
    wrong(
      'output',
      `it must be text, json-lines or the name of a worker whose output it has.${didYouMean(output, OUTPUTS)}`,
    );
  for (const [key, words] of Object.entries({ args, resumeArgs, interactiveArgs })) {
    const unknown = (words ?? []).flatMap(placesIn).find((place) => !PLACES.includes(place));
    if (unknown !== undefined) wrong(key, `nothing takes the place of {${unknown}}.${didYouMean(unknown, PLACES)}`);
  }
  if (!holds(args, 'prompt')) wrong('args', 'no word holds {prompt}, so the worker would not know its task');
  if (resumeArgs && !holds(resumeArgs, 'prompt')) wrong('resumeArgs', 'no word holds {prompt}');
  if (resumeArgs && !holds(resumeArgs, 'session')) wrong('resumeArgs', 'no word holds {session}');
  if (interactiveArgs && !holds(interactiveArgs, 'session')) wrong('interactiveArgs', 'no word holds {session}');
  if (interactiveArgs && !resumeArgs)
    wrong('interactiveArgs', 'they need resumeArgs, so that the run goes on afterwards');
  if (resumeArgs && output === 'text' && settings.session === undefined)
    wrong('resumeArgs', 'they need `session`: a pattern whose first group is the session in the text');
  const isOwnParser = output === 'text' || output === 'json-lines';
  for (const key of ['banners', 'errors'] as const)
    if (!isOwnParser && settings[key] !== undefined) wrong(key, `the output of ${output} has its own`);
  if (output !== 'text' && settings.session !== undefined) wrong('session', 'only text needs it');
  if (settings.session !== undefined && groupsIn(id, settings) === 0)
    wrong('session', 'it has no group for the session: `session: (\\S+)`');
}

/** The patterns under a key. */
export function patternsOf(
  id: string,
  settings: CustomSettings,
  key: 'banners' | 'errors' | 'session',
): readonly RegExp[] {
  const value = settings[key] ?? [];
  return (typeof value === 'string' ? [value] : value).map((source) => {
    try {
      return new RegExp(source, 'u');
    } catch (fault) {
      throw errors.create('WORKERS_CUSTOM', { name: id, key, reason: messageOf(fault) }, fault);
    }
  });
}

function groupsIn(id: string, settings: CustomSettings): number {
  const [pattern] = patternsOf(id, settings, 'session');
  // The empty alternative always matches, and the match has a place for every group.
  return pattern ? (new RegExp(`${pattern.source}|`, 'u').exec('')?.length ?? 1) - 1 : 0;
}

function placesIn(word: string): readonly string[] {
  return [...word.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function holds(words: readonly string[], place: string): boolean {
  return words.some((word) => placesIn(word).includes(place));
}
