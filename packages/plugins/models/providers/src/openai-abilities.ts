/** What OpenAI's models take beside a conversation, as their ids tell. A field that a model does not take fails the whole request. */

/** What one model takes. */
export interface Abilities {
  /** Thinks before it answers, also when nobody asks for it. */
  readonly isReasoning: boolean;
  /** Takes a temperature when it does not think. */
  readonly mayRestFromReasoning: boolean;
  /** The efforts that it takes; absent where any is passed on. */
  readonly efforts?: ReadonlySet<string>;
  /** Takes the service tier `flex`. */
  readonly flex: boolean;
  /** Takes the service tiers `priority` and `fast`. */
  readonly priority: boolean;
  /** Takes how long its cache is kept. */
  readonly cacheRetention: boolean;
}

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);
const EFFORTS_AND_NONE: ReadonlySet<string> = new Set(['none', ...EFFORTS]);
/** The models of the sixth generation that can be kept from thinking. */
const TAKES_NONE = /^(?:gpt-6-sol|gpt-6-luna|gpt-6\.1-terra)$/;

/** What the id of a model says about it. Ids of other vendors say nothing. */
export function abilitiesOf(id: string): Abilities {
  const series = Number(/^o(\d+)(?:-|$)/.exec(id)?.[1] ?? Number.NaN);
  const [isGpt, majorText, minorText, variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(id) ?? [];
  const major = isGpt === undefined ? 0 : Number(majorText);
  const isChat = minorText === undefined && variant.startsWith('chat');
  const isNew = major >= 5 && !isChat;
  const isSixth = major >= 6;
  return {
    isReasoning: !Number.isNaN(series) || isNew,
    mayRestFromReasoning: major === 5 && Number(minorText ?? 0) >= 1,
    ...(isSixth && { efforts: TAKES_NONE.test(id) ? EFFORTS_AND_NONE : EFFORTS }),
    flex: series >= 3 || isNew,
    priority: id.startsWith('gpt-4') || series >= 3 || (isNew && !variant.startsWith('nano')),
    cacheRetention: !isSixth,
  };
}
