/** Finds models by what people type: `anthropic/claude-opus-5`, `claude-opus-5`, `opus`, `openai/*`, each with `:high`. */
import type { Model } from './api.ts';
import { THINKING_LEVELS, type ThinkingLevel } from './thinking.ts';

/** A model that may or may not have credentials. */
export type ListedModel = Model & { readonly available: boolean };

/** Splits a thinking level off a pattern. Ids may contain colons themselves, so that only known levels count. */
export function splitThinking(pattern: string): { readonly pattern: string; readonly thinking?: ThinkingLevel } {
  const at = pattern.lastIndexOf(':');
  const level = THINKING_LEVELS.find((name) => name === pattern.slice(at + 1));
  return at > 0 && level !== undefined ? { pattern: pattern.slice(0, at), thinking: level } : { pattern };
}

/** The model that a pattern means, best match first: exact, glob, part of the id or name. */
export function selectModel<M extends ListedModel>(models: readonly M[], text: string): M | undefined {
  const pattern = text.trim().toLowerCase();
  if (pattern === '') return undefined;
  const full = (model: M) => `${model.provider}/${model.id}`.toLowerCase();
  const exact = models.filter((model) => full(model) === pattern || model.id.toLowerCase() === pattern);
  if (exact.length > 0) return best(exact);
  if (/[*?]/.test(pattern)) {
    const glob = globOf(pattern);
    return best(models.filter((model) => glob.test(full(model)) || glob.test(model.id.toLowerCase())));
  }
  const hasPart = (model: M, name: string, part: string) =>
    name.includes(part) || model.name.toLowerCase().includes(part);
  if (!pattern.includes('/'))
    return best(models.filter((model) => !model.onlyByName && hasPart(model, full(model), pattern)));
  const { provider, id } = splitProvider(pattern);
  const ofProvider = models.filter((model) => model.provider.toLowerCase() === provider);
  if (ofProvider.length > 0) return best(ofProvider.filter((model) => hasPart(model, model.id.toLowerCase(), id)));
  // Ids have slashes of their own (`meta-llama/llama-4`): what stands before one is meant as a whole.
  return best(models.filter((model) => `/${model.id.toLowerCase()}`.includes(`/${pattern}`)));
}

/** The provider and the id in `provider/id`. */
export function splitProvider(name: string): { readonly provider: string; readonly id: string } {
  const at = name.indexOf('/');
  return { provider: name.slice(0, Math.max(0, at)), id: name.slice(at + 1) };
}

function globOf(pattern: string): RegExp {
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`);
}

/** With credentials first, then in the order of the endpoints, then aliases before dated ids, then the newest. */
function best<M extends ListedModel>(models: readonly M[]): M | undefined {
  const rank = new Map<string, number>();
  for (const { provider } of models) if (!rank.has(provider)) rank.set(provider, rank.size);
  return [...models].sort(
    (a, b) =>
      Number(b.available) - Number(a.available) ||
      (rank.get(a.provider) ?? 0) - (rank.get(b.provider) ?? 0) ||
      Number(isDated(a.id)) - Number(isDated(b.id)) ||
      compareIds(b.id, a.id),
  )[0];
}

function isDated(id: string): boolean {
  return /\d{8}|\d{4}-\d{2}-\d{2}/.test(id);
}

/** Numbers in ids compare as numbers; where one id goes on, the shorter one is the plain model and wins. */
export function compareIds(a: string, b: string): number {
  const parts = (id: string) => id.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [x, y] = [left[at] as string, right[at] as string];
    if (x === y) continue;
    const [m, n] = [Number(x), Number(y)];
    if (!Number.isNaN(m) && !Number.isNaN(n)) return m - n;
    // A number where the other has a word is a later version of the same thing.
    if (Number.isNaN(m) !== Number.isNaN(n)) return Number.isNaN(m) ? -1 : 1;
    return x < y ? -1 : 1;
  }
  const longer = left.length > right.length ? left : right;
  const next = longer[Math.min(left.length, right.length)];
  if (next === undefined) return 0;
  const longerIsNewer = !Number.isNaN(Number(next)) && next.length < 3;
  return left.length > right.length === longerIsNewer ? 1 : -1;
}
