import type { Folders } from '@tenon/host';
import type { ToolCall, ToolScope } from './api.ts';

/** Where a call belongs; calls by hand share one scope in the working folder. */
export function scopeOf(call: Pick<ToolCall, 'scope'>, folders: Pick<Folders, 'cwd'>): ToolScope {
  return call.scope ?? { session: 'by-hand', cwd: folders.cwd };
}
