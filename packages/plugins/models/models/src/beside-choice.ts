/**
 * Models that work beside the one that leads a conversation: for summaries, verdicts, images. What they get to see is part of
 * the conversation, so that another provider answers only when the user chose one for the role. A key that happens to be
 * there is no choice.
 */
import type { Endpoint, Model, ThinkingLevel } from './api.ts';
import { keyOf } from './model-book.ts';
import { type ListedModel, selectModel } from './selection.ts';

type Choice = { readonly model: Model; readonly thinking?: ThinkingLevel };
type ExplainedChoice = Choice & { readonly fallbackMessage?: string };

/** What the choice is made from. */
export interface BesideSources {
  /** What the settings say about this role, and only about this one. */
  patternsFor(role: string): readonly string[];
  /** Models that are known at once, and all of them. */
  listKnown(): Promise<readonly ListedModel[]>;
  list(): Promise<readonly ListedModel[]>;
  endpoints(): Promise<ReadonlyMap<string, Endpoint>>;
  choose(models: readonly ListedModel[], pattern: string): Promise<Choice | undefined>;
  isAvailable(models: readonly ListedModel[], model: Model): Promise<boolean>;
}

/** The model of a role beside another: the user's choice, else one of the same provider that suits, else nothing. */
export async function besideChoice(
  sources: BesideSources,
  role: string,
  lead: Model,
  suits: (model: Model) => boolean,
): Promise<ExplainedChoice | undefined> {
  const patterns = sources.patternsFor(role);
  const chosen = patterns.length > 0 ? await configured(sources, patterns, suits) : undefined;
  if (chosen) return chosen;
  const model = await ofSameProvider(sources, role, lead, suits);
  const [wanted] = patterns;
  if (!model || wanted === undefined) return model && { model };
  const fallbackMessage = `Model "${wanted}" cannot be used (unknown, or without credentials); ${keyOf(model)} is used.`;
  return { model, fallbackMessage };
}

async function configured(
  sources: BesideSources,
  patterns: readonly string[],
  suits: (model: Model) => boolean,
): Promise<Choice | undefined> {
  // Local servers are asked only when nothing else is meant.
  for (const models of [sources.listKnown, sources.list]) {
    const listed = await models();
    for (const pattern of patterns) {
      const choice = await sources.choose(listed, pattern);
      if (choice && suits(choice.model) && (await sources.isAvailable(listed, choice.model))) return choice;
    }
  }
  return undefined;
}

async function ofSameProvider(
  sources: BesideSources,
  role: string,
  lead: Model,
  suits: (model: Model) => boolean,
): Promise<Model | undefined> {
  const endpoint = (await sources.endpoints()).get(lead.provider);
  const pattern = role === 'small' ? endpoint?.smallModel : undefined;
  if (pattern === undefined && suits(lead)) return lead;
  const known = ownModels(await sources.listKnown(), lead, suits);
  const own = known.length > 0 ? known : ownModels(await sources.list(), lead, suits);
  const wanted = pattern === undefined ? undefined : selectModel(own, `${lead.provider}/${pattern}`);
  const found = wanted ?? (suits(lead) ? undefined : own[0]);
  if (!found) return suits(lead) ? lead : undefined;
  const { available: _available, ...model } = found;
  return model;
}

function ownModels(models: readonly ListedModel[], lead: Model, suits: (model: Model) => boolean): ListedModel[] {
  return models.filter((model) => model.available && !model.onlyByName && suits(model) && isBeside(model, lead));
}

/**
 * True when the same company answers, as far as one can see. A models file may give one model of a provider an address of
 * its own, and ids of those that pass requests on begin with who answers them: `anthropic/claude-haiku-4-5`.
 */
function isBeside({ provider, baseUrl, id }: Model, lead: Model): boolean {
  return provider === lead.provider && baseUrl === lead.baseUrl && publisher(id) === publisher(lead.id);
}

function publisher(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}
