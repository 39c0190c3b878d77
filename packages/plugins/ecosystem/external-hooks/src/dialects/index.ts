import type { ExternalHook } from '@tenon/discovery/api';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import type { Dialect, EventSpec } from './dialect.ts';
import { gemini } from './gemini.ts';
import { windsurf } from './windsurf.ts';

/** How each tool speaks with its hooks. */
export const dialects: Readonly<Record<ExternalHook['dialect'], Dialect>> = {
  claude,
  codex,
  gemini,
  cursor,
  copilot,
  windsurf,
  cline,
};

/** The event of a hook; undefined when nobody knows it. */
export function specOf({ dialect, event }: Pick<ExternalHook, 'dialect' | 'event'>): EventSpec | undefined {
  return Object.hasOwn(dialects[dialect].events, event) ? dialects[dialect].events[event] : undefined;
}
