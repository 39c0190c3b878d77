/** Projects often have the same instructions twice: a CLAUDE.md and an AGENTS.md. Saying them twice costs tokens only. */
import { basename, dirname } from 'node:path';
import type { ContextFile, Discovered } from './api.ts';

const MOSTLY = 0.8;

/** Why a context file is not needed beside those of the same folder that come before it, if so. */
export function overlapReason(
  file: Discovered<ContextFile>,
  before: readonly Discovered<ContextFile>[],
  rule: 'distinct' | 'first',
): string | undefined {
  if (file.value.role !== undefined) return undefined;
  const peers = before.filter((other) => other.value.role === undefined && sameScope(other, file));
  const [first] = peers;
  if (rule === 'first' && first) return `${first.file} comes first, and the setting discovery.contextFiles is "first"`;
  const twin = peers.find((peer) => saysAlready(peer.value.content, file.value.content));
  return twin && `it says what ${twin.file} says`;
}

const OVERRIDE = 'AGENTS.override.md';

/** Folder -> the file that stands in the place of the AGENTS.md there. */
export function overridesAmong(files: readonly Pick<Discovered<ContextFile>, 'file'>[]): ReadonlyMap<string, string> {
  return new Map(files.filter(({ file }) => basename(file) === OVERRIDE).map(({ file }) => [dirname(file), file]));
}

/** Why a file is overridden, if so. */
export function overrideReason(file: string, overrides: ReadonlyMap<string, string>): string | undefined {
  const override = basename(file) === 'AGENTS.md' ? overrides.get(dirname(file)) : undefined;
  return override && `${override} stands in its place`;
}

/** Personal additions (`CLAUDE.local.md`) and what bundles bring are for all: they never stand for a whole folder. */
function sameScope(a: Discovered<ContextFile>, b: Discovered<ContextFile>): boolean {
  if (a.level !== b.level || a.bundle !== b.bundle || isLocal(a.file) || isLocal(b.file)) return false;
  if (a.level === 'user') return a.bundle === undefined || dirname(a.file) === dirname(b.file);
  return a.value.depth === b.value.depth;
}

function isLocal(file: string): boolean {
  return file.endsWith('.local.md');
}

/** Whether nearly every line of `text` is in `said` as well. */
function saysAlready(said: string, text: string): boolean {
  const lines = linesOf(text);
  if (lines.length === 0) return true;
  const otherLines = new Set(linesOf(said));
  return lines.filter((line) => otherLines.has(line)).length / lines.length >= MOSTLY;
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
