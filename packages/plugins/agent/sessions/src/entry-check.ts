/**
 * Looks at an entry as it was read from a file. Files get damaged, other programs write them, and people edit them: nobody
 * who works with an entry should have to doubt its shape. What is missing and has a harmless stand-in gets that; a part
 * that is no part is left out; an entry that says nothing without what is missing is passed over.
 */
import { NO_USAGE, THINKING_LEVELS } from '@tenon/models/api';
import type { EntryType, SessionEntry } from './entries.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a field must look, and what stands in for one that does not. */
interface FieldRule {
  readonly isRight: (value: unknown) => boolean;
  /** What to keep of a value that is partly right; nothing when none of it can be kept. */
  readonly mend?: (value: unknown) => unknown;
  /** Given when nothing can be kept; without it the entry is useless. `undefined` leaves the field out. */
  readonly standIn?: () => unknown;
}

type Rules = Readonly<Record<string, FieldRule>>;

/** An entry, and what was wrong with it. */
export interface CheckedEntry {
  /** Undefined when nothing of it can be used. */
  readonly entry: SessionEntry | undefined;
  /** The fields that were wrong, such as `message.content`. */
  readonly wrong: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value));

const needed = (isRight: FieldRule['isRight']): FieldRule => ({ isRight });
const optional = (isRight: FieldRule['isRight']): FieldRule => ({
  isRight: (value) => value === undefined || isRight(value),
  standIn: () => undefined,
});
const or = (isRight: FieldRule['isRight'], standIn: unknown): FieldRule => ({ isRight, standIn: () => standIn });
const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);
const list = (isRight: (item: unknown) => boolean): FieldRule => ({
  isRight: (value) => Array.isArray(value) && value.every(isRight),
  mend: (value) => (Array.isArray(value) ? value.filter(isRight) : undefined),
});

const text = needed(isText);
const optionalText = optional(isText);
const flag = or((value) => typeof value === 'boolean', false);
const number = or(isNumber, 0);

const isTextBlock = (block: unknown) => isFields(block) && block['type'] === 'text' && isText(block['text']);
const isImage = (block: unknown): boolean =>
  isFields(block) && block['type'] === 'image' && isText(block['data']) && isText(block['mimeType']);
const isSaid = (block: unknown) => isTextBlock(block) || isImage(block);
const isAnswered = (block: unknown) =>
  isTextBlock(block) ||
  (isFields(block) &&
    ((block['type'] === 'thinking' && isText(block['thinking'])) ||
      (block['type'] === 'toolCall' && isText(block['id']) && isText(block['name']) && isFields(block['arguments']))));
/** An image that is gone is a text in its place. */
const isFile = (file: unknown) =>
  isFields(file) &&
  isText(file['path']) &&
  isText(file['content']) &&
  (file['image'] === undefined || isSaid(file['image']));

const said: FieldRule = {
  isRight: (value) => isText(value) || (Array.isArray(value) && value.every(isSaid)),
  mend: (value) => (Array.isArray(value) ? value.filter(isSaid) : undefined),
};

const isUsage = (value: unknown) =>
  isFields(value) &&
  Object.keys(NO_USAGE).every((key) => key === 'cost' || isNumber(value[key])) &&
  isFields(value['cost']) &&
  Object.keys(NO_USAGE.cost).every((key) => isNumber((value['cost'] as Fields)[key]));

const MESSAGES: Readonly<Record<string, Rules>> = {
  user: { content: said },
  assistant: {
    content: list(isAnswered),
    api: or(isText, 'unknown'),
    provider: or(isText, 'unknown'),
    model: or(isText, 'unknown'),
    usage: or(isUsage, NO_USAGE),
    stopReason: or(oneOf('stop', 'length', 'toolUse', 'error', 'aborted'), 'stop'),
    errorMessage: optionalText,
    errorNext: optionalText,
  },
  toolResult: { toolCallId: text, toolName: text, content: list(isSaid), isError: flag },
  custom: { customType: or(isText, 'unknown'), content: said, display: flag },
  bashExecution: {
    command: text,
    output: or(isText, ''),
    exitCode: optional(isNumber),
    cancelled: flag,
    truncated: flag,
    fullOutputPath: optionalText,
    excludeFromContext: optional((value) => typeof value === 'boolean'),
  },
  fileMention: { files: list(isFile) },
  branchSummary: { summary: text, fromId: or(isText, 'root') },
  compactionSummary: { summary: text, shortSummary: optionalText, tokensBefore: number },
};

const ENTRIES: Readonly<Record<EntryType, Rules>> = {
  message: {},
  model_change: { model: text, role: optionalText },
  thinking_level_change: { thinkingLevel: needed(oneOf(...THINKING_LEVELS)) },
  service_tier_change: { serviceTier: needed((value) => value === null || isText(value)) },
  compaction: { summary: text, shortSummary: optionalText, firstKeptEntryId: text, tokensBefore: number },
  branch_summary: { fromId: or(isText, 'root'), summary: text },
  custom: { customType: text },
  custom_message: { customType: or(isText, 'unknown'), content: said, display: flag },
  label: { targetId: text, label: optionalText },
  ttsr_injection: { injectedRules: list(isText) },
  mcp_tool_selection: { selectedToolNames: list(isText) },
  session_init: { systemPrompt: or(isText, ''), task: or(isText, ''), tools: or(areTexts, []) },
  mode_change: { mode: text },
};

/** Checks an entry whose type, id and parent are known. Types of later versions are left as they are. */
export function checkEntry(raw: Fields): CheckedEntry {
  const type = raw['type'];
  const rules = isText(type) && Object.hasOwn(ENTRIES, type) ? ENTRIES[type as EntryType] : {};
  const stamped = mended(raw, { ...rules, timestamp: or(isTime, new Date(0).toISOString()) }, '');
  if (!stamped.fields || type !== 'message')
    return { entry: stamped.fields as SessionEntry | undefined, wrong: stamped.wrong };
  const message = raw['message'];
  const role = isFields(message) ? message['role'] : undefined;
  if (!isFields(message)) return { entry: undefined, wrong: ['message'] };
  if (!isText(role) || !Object.hasOwn(MESSAGES, role)) return { entry: undefined, wrong: ['message.role'] };
  const written = Date.parse(String(stamped.fields['timestamp']));
  const inner = mended(message, { ...MESSAGES[role], timestamp: or(isNumber, written) }, 'message.');
  const wrong = [...stamped.wrong, ...inner.wrong];
  if (!inner.fields) return { entry: undefined, wrong };
  return { entry: { ...stamped.fields, message: inner.fields } as unknown as SessionEntry, wrong };
}

function mended(raw: Fields, rules: Rules, prefix: string): { fields: Fields | undefined; wrong: readonly string[] } {
  const wrong: string[] = [];
  let fields: Record<string, unknown> | undefined = raw;
  for (const [name, { isRight, mend, standIn }] of Object.entries(rules)) {
    if (isRight(raw[name])) continue;
    wrong.push(`${prefix}${name}`);
    const value = mend?.(raw[name]) ?? standIn?.();
    if (value === undefined && !standIn) return { fields: undefined, wrong };
    const { [name]: _damaged, ...rest }: Record<string, unknown> = fields;
    fields = value === undefined ? rest : { ...rest, [name]: value };
  }
  return { fields, wrong };
}
