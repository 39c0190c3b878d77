import type { ExternalHook } from '@tenon/discovery/api';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import type { Dialect, EventSpec } from './dialect.ts';
import { gemini } from './gemini.ts';

/** How each tool speaks with its hooks. */
export const dialects: Readonly<Record<ExternalHook['dialect'], Dialect>> = { claude, codex, gemini, cursor };

/** The event of a hook; undefined when nobody knows it. */
export function specOf({ dialect, event }: Pick<ExternalHook, 'dialect' | 'event'>): EventSpec | undefined {
  return Object.hasOwn(dialects[dialect].events, event) ? dialects[dialect].events[event] : undefined;
}
