import type { TSchema } from '@sinclair/typebox';
import { slotSchemas } from './slot-schemas.ts';

/** Whether isolated packs may use a token: `internal` ones are for plugins inside the process only. */
export type Access = 'internal' | 'packs';

declare const type: unique symbol;

/** A capability registry: many entries, one key each (commands, checks…). */
export interface Slot<V> {
  readonly kind: 'slot';
  readonly id: string;
  readonly access: Access;
  /** What the value of an entry must look like; checked before an entry is published. */
  readonly schema?: TSchema;
  readonly [type]?: V;
}

/** A capability with exactly one provider (settings, a store…). */
export interface Service<V> {
  readonly kind: 'service';
  readonly id: string;
  readonly access: Access;
  readonly [type]?: V;
}

/**
 * How a hook dispatches.
 * - `notify`: all handlers in parallel, faults isolated and attributed.
 * - `first`: handlers in order, the first answer wins.
 * - `reduce`: each handler sees the output of the one before.
 * - `gate`: handlers in order, any refusal or fault denies.
 */
export type HookMode = 'notify' | 'first' | 'reduce' | 'gate';

/** A point at which plugins may watch, answer, change or refuse something. */
export interface Hook<M extends HookMode, In, Out> {
  readonly kind: 'hook';
  readonly id: string;
  readonly mode: M;
  readonly access: Access;
  /** How long one handler may take; `Infinity` where a person is asked. */
  readonly deadlineMs: number;
  /** True when a handler that fails or cannot start must fail the whole run: where skipping it would let something slip. */
  readonly strict: boolean;
  readonly [type]?: [In, Out];
}

/** Any token that a plugin can define. */
export type Token = Slot<unknown> | Service<unknown> | Hook<HookMode, unknown, unknown>;

/** What a gate handler answers; nothing means "no objection". */
export type GateAnswer = { readonly deny: string } | undefined | void;

/** What running a gate gives: allowed, or refused by whom and why. */
export type GateVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly by: string; readonly reason: string; readonly fault: boolean };

/** What a handler of this hook returns. */
export type HandlerOutput<M extends HookMode, In, Out> = M extends 'notify'
  ? void
  : M extends 'gate'
    ? GateAnswer
    : M extends 'reduce'
      ? In | undefined | void
      : Out | undefined | void;

/** What running this hook gives. */
export type HookOutput<M extends HookMode, In, Out> = M extends 'notify'
  ? void
  : M extends 'gate'
    ? GateVerdict
    : M extends 'reduce'
      ? In
      : Out | undefined;

const DEFAULT_HANDLER_DEADLINE_MS = 10_000;

/** Names a capability registry. */
export function slot<V>(id: string, options: { access?: Access; schema?: TSchema } = {}): Slot<V> {
  const { access = 'internal', schema } = options;
  if (schema) slotSchemas.areUsed = true;
  return Object.freeze({ kind: 'slot', id, access, ...(schema && { schema }) }) as Slot<V>;
}

/** Names a capability with one provider. */
export function service<V>(id: string, options: { access?: Access } = {}): Service<V> {
  return Object.freeze({ kind: 'service', id, access: options.access ?? 'internal' }) as Service<V>;
}

/** Names a hook and fixes how it dispatches. */
export function hook<M extends HookMode, In, Out = In>(
  id: string,
  mode: M,
  options: { access?: Access; deadlineMs?: number; strict?: boolean } = {},
): Hook<M, In, Out> {
  const { access = 'internal', deadlineMs = DEFAULT_HANDLER_DEADLINE_MS, strict = false } = options;
  return Object.freeze({ kind: 'hook', id, mode, access, deadlineMs, strict }) as Hook<M, In, Out>;
}
