/** Models by provider: the one to use, and how hard it thinks. */
import { keyHints } from '@tenon/components';
import { kernelView } from '@tenon/host';
import { type Endpoint, endpoints, type Model, modelRegistry } from '@tenon/models/api';
import type { Seat } from '../seat.ts';
import { chooseOne, CHOOSE, ListPicker, closingHints } from './list-picker.ts';
import { agentRefusal } from './settings.ts';
import { reporting } from './small-dialogs.ts';
import { askThinking } from './thinking.ts';

type ListedModel = Model & { readonly available: boolean };
/** Patterns by role, as the setting has them. */
type Roles = Readonly<Record<string, string | readonly string[]>>;

const ROLES_SETTING = 'models.roles';
const KEYS = { 'list.switch': 'unavailable', 'list.role': 'role' };
/** The roles that the settings name, and what they are for. */
const ROLES: Readonly<Record<string, string>> = {
  default: 'new sessions begin with it',
  small: 'short jobs beside the conversation',
  slow: 'hard questions',
  plan: 'planning',
};

/** Lets the user choose a model, and for one that thinks how hard. */
export async function openModel(seat: Seat): Promise<void> {
  const all = await (await seat.ctx.find(modelRegistry)).list();
  let roles = await rolesOf(seat);
  let showsAll = !all.some(({ available }) => available);
  const items = () => {
    const shown = all.filter(({ available }) => available || showsAll);
    return byProvider(shown).map((model) => asItem(seat, model, roles));
  };
  const hidden = all.filter(({ available }) => !available).length;
  const picker = new ListPicker<ListedModel>(seat, {
    title: 'Model',
    items: items(),
    empty: 'No model fits.',
    keys: KEYS,
    footer: () =>
      keyHints(seat, [
        ['list.choose', 'use'],
        ['list.role', 'give it a role'],
        ['list.switch', showsAll ? 'hide those without a key' : `${hidden} without a key`],
        ['list.close', 'close'],
      ]),
  });
  for (;;) {
    const answer = await picker.next();
    if (!answer) return;
    const model = answer.item?.value;
    if (answer.action === 'unavailable') showsAll = !showsAll;
    else if (model && !model.available) seat.notify(missingText(seat, model), 'warning');
    else if (model && answer.action === CHOOSE) return use(seat, model);
    else if (model) {
      await reporting(seat, () => giveRole(seat, model));
      roles = await rolesOf(seat);
    }
    picker.list.setItems(items(), isSameModel);
  }
}

const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;
const isSameModel = (a: Model, b: Model): boolean => nameOf(a) === nameOf(b);

/** Models of one provider stand together; providers come in the order of their first model. */
function byProvider(models: readonly ListedModel[]): ListedModel[] {
  const groups = new Map<string, ListedModel[]>();
  for (const model of models) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return [...groups.values()].flat();
}

function asItem(seat: Seat, model: ListedModel, roles: Roles) {
  const { provider, id, name, contextWindow, available, reasoning, input } = model;
  const facts = [
    ...rolesPlayed(model, roles),
    windowText(contextWindow),
    ...(reasoning ? ['thinks'] : []),
    ...(input.includes('image') ? ['sees'] : []),
  ];
  return {
    value: model,
    label: id,
    detail: available ? (name === id ? '' : name) : missingText(seat, model),
    hint: facts.join(' · '),
    group: provider,
    keywords: `${provider}/${id}`,
    isCurrent: isSameModel(model, seat.agent.state.model),
    isMuted: !available,
  };
}

/** The roles for which the settings name exactly this model. */
function rolesPlayed(model: Model, roles: Roles): string[] {
  const isNamed = (pattern: string) => pattern === nameOf(model) || pattern.startsWith(`${nameOf(model)}:`);
  return Object.entries(roles).flatMap(([role, patterns]) =>
    (typeof patterns === 'string' ? [patterns] : patterns).some(isNamed) ? [`[${role}]`] : [],
  );
}

async function rolesOf(seat: Seat): Promise<Roles> {
  const view = await seat.ctx.find(kernelView);
  const isKnown = (await view.settings.list()).some(
    ({ key }) => key === ROLES_SETTING || key.startsWith(`${ROLES_SETTING}.`),
  );
  return isKnown ? await view.settings.get<Roles>(ROLES_SETTING) : {};
}

/** What a model lacks, and what to do about it. */
function missingText({ ctx }: Seat, { provider }: Model): string {
  const entry = ctx.read(endpoints).get(provider);
  const { env = [] } = (entry?.data ?? {}) as Partial<Endpoint>;
  const variables = env.length === 0 ? '' : ` or ${env[0]}`;
  return `needs a key: \`tenon auth login ${provider}\`${variables}`;
}

/** Lets the user choose a role that the model plays from now on, in the user's own settings. */
async function giveRole(seat: Seat, model: Model): Promise<void> {
  const refusal = agentRefusal();
  if (refusal !== undefined) return seat.notify(refusal, 'warning');
  const role = await chooseOne<string>(seat, {
    title: `Role of ${nameOf(model)}`,
    hasFilter: false,
    items: Object.entries(ROLES).map(([value, detail]) => ({ value, label: value, detail })),
    footer: () => closingHints(seat, 'choose', 'back'),
  });
  if (!role) return;
  const { settings } = await seat.ctx.find(kernelView);
  await settings.set(`${ROLES_SETTING}.${role.value}`, nameOf(model));
}

async function use(seat: Seat, { available: _available, ...model }: ListedModel): Promise<void> {
  const thinking = model.reasoning ? await askThinking(seat, model.name) : undefined;
  await reporting(seat, () => seat.agent.setModel(model, thinking));
}

/** `200k`, `1M`. */
function windowText(tokens: number): string {
  return tokens < 1_000_000 ? `${Math.round(tokens / 1000)}k` : `${Number((tokens / 1_000_000).toFixed(1))}M`;
}
