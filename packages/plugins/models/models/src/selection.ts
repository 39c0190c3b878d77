/** Finds models by what people type: `anthropic/claude-opus-5`, `claude-opus-5`, `opus`, `openai/*`, each with `:high`. */
import type { Model } from './api.ts';
import { type IdFacts, newestFirst, readId } from './id-facts.ts';
import { THINKING_LEVELS, type ThinkingLevel } from './thinking.ts';

/** A model that may or may not have credentials. */
export type ListedModel = Model & { readonly available: boolean };

/** Splits a thinking level off a pattern. Ids may contain colons themselves, so that only known levels count. */
export function splitThinking(pattern: string): { readonly pattern: string; readonly thinking?: ThinkingLevel } {
  const at = pattern.lastIndexOf(':');
  const level = THINKING_LEVELS.find((name) => name === pattern.slice(at + 1));
  return at > 0 && level !== undefined ? { pattern: pattern.slice(0, at), thinking: level } : { pattern };
}

/** How well a model fits what was typed. */
const FIT = { none: 0, words: 1, part: 2, wholeWords: 3, sameName: 4, exact: 5 } as const;

/** The model that a pattern means: the exact one, or the newest of those that fit best. See the README for the order. */
export function selectModel<M extends ListedModel>(models: readonly M[], text: string): M | undefined {
  const pattern = text.trim().toLowerCase();
  if (pattern === '') return undefined;
  if (/[*?]/.test(pattern)) {
    const glob = globOf(pattern);
    return best(models.filter((model) => glob.test(full(model)) || glob.test(model.id.toLowerCase())).map(equally));
  }
  const whole = models.find((model) => full(model) === pattern);
  if (whole) return whole;
  const exact = models.filter((model) => model.id.toLowerCase() === pattern);
  if (exact.some(({ available }) => available)) return best(exact.map(equally));
  const { provider, id } = splitProvider(pattern);
  const ofProvider = models.filter((model) => model.provider.toLowerCase() === provider);
  if (ofProvider.length > 0) return best(fitting(ofProvider, id, (model) => model.id));
  // Ids have slashes of their own (`meta-llama/llama-4`): what stands before one is meant as a whole.
  if (provider !== '')
    return best(models.filter((model) => `/${model.id.toLowerCase()}`.includes(`/${pattern}`)).map(equally));
  const found = best(fitting(models, pattern, full));
  // A name that is somebody's exactly stays that: another provider may serve it, another model may not take its place.
  const [first] = exact;
  return first && (!found?.available || readId(found.id).name !== readId(first.id).name) ? first : found;
}

interface Candidate<M> {
  readonly model: M;
  readonly fit: number;
}

function equally<M>(model: M): Candidate<M> {
  return { model, fit: FIT.exact };
}

function full({ provider, id }: ListedModel): string {
  return `${provider}/${id}`.toLowerCase();
}

/** The models that fit a pattern. Words in any order count only when nothing else fits. */
function fitting<M extends ListedModel>(
  models: readonly M[],
  pattern: string,
  nameOf: (model: M) => string,
): readonly Candidate<M>[] {
  const wanted = readId(pattern);
  const candidates = models
    .filter((model) => !model.onlyByName || model.id.toLowerCase() === pattern)
    .map((model) => ({ model, fit: fitOf(model, nameOf(model).toLowerCase(), pattern, wanted) }));
  const close = candidates.filter(({ fit }) => fit >= FIT.part);
  return close.length > 0 ? close : candidates.filter(({ fit }) => fit === FIT.words);
}

function fitOf(model: ListedModel, name: string, pattern: string, wanted: IdFacts): number {
  if (model.id.toLowerCase() === pattern) return FIT.exact;
  const facts = readId(model.id);
  if (facts.name === wanted.name) return FIT.sameName;
  const words = (text: string) => ` ${(text.match(/[a-z]+|\d+/g) ?? []).join(' ')} `;
  const [looked, called] = [words(pattern), model.name.toLowerCase()];
  if (looked.trim() !== '' && (words(name).includes(looked) || words(called).includes(looked))) return FIT.wholeWords;
  if (name.includes(pattern) || called.includes(pattern)) return FIT.part;
  const hasWords = wanted.words.length > 0 && wanted.words.every((word) => facts.words.includes(word));
  return hasWords && wanted.version.every((number, at) => facts.version[at] === number) ? FIT.words : FIT.none;
}

/** The provider and the id in `provider/id`. */
export function splitProvider(name: string): { readonly provider: string; readonly id: string } {
  const at = name.indexOf('/');
  return { provider: name.slice(0, Math.max(0, at)), id: name.slice(at + 1) };
}

/** The expression for a pattern with `*` and `?`. */
export function globOf(pattern: string): RegExp {
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`);
}

/** With credentials first, then what fits best, then in the order of the endpoints, then the newest. */
function best<M extends ListedModel>(candidates: readonly Candidate<M>[]): M | undefined {
  const rank = new Map<string, number>();
  for (const { model } of candidates) if (!rank.has(model.provider)) rank.set(model.provider, rank.size);
  return [...candidates].sort(
    ({ model: a, fit: fitOfA }, { model: b, fit: fitOfB }) =>
      Number(b.available) - Number(a.available) ||
      fitOfB - fitOfA ||
      (rank.get(a.provider) ?? 0) - (rank.get(b.provider) ?? 0) ||
      newestFirst(a.id, b.id),
  )[0]?.model;
}
