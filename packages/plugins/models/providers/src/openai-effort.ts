import type { ThinkingLevel } from '@tenon/models/api';
import { versionIn } from './dialect.ts';

/** Effort names differ by generation: 5.1 learned `none`, 5.2 learned `xhigh`. */
export function effortFor(id: string, level: ThinkingLevel): string {
  const version = versionIn(id, /gpt-/);
  const newer = (major: number, minor: number) =>
    version !== undefined && (version[0] > major || (version[0] === major && version[1] >= minor));
  if (level === 'off') return newer(5, 1) ? 'none' : newer(5, 0) ? 'minimal' : 'low';
  if (level === 'minimal') return newer(5, 1) ? 'low' : newer(5, 0) ? 'minimal' : 'low';
  if (level === 'xhigh') return newer(5, 2) || id.includes('codex-max') ? 'xhigh' : 'high';
  return level;
}
