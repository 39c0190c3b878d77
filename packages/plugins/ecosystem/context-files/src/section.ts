/** The part of the system prompt that comes from files. */
import { relative } from 'node:path';
import { isInside } from '@tenon/host';
import type { ContextFile, Discovered, InstructionFile } from '@tenon/discovery/api';
import { renderPrompt } from '@tenon/prompts';
import { fencedText, tagValue } from '@tenon/wording';
import contextPrompt from './prompts/context.md';

/** How much may be said. */
export interface SectionLimits {
  readonly maxChars: number;
  readonly maxListed: number;
}

/** Where paths are shown from. */
export interface SectionFolders {
  readonly cwd: string;
  readonly home: string;
}

interface Part {
  readonly path: string;
  readonly text: string;
  /** Smaller is nearer to the work, and gets its share of the room first. */
  readonly distance: number;
  readonly isUntrusted: boolean;
}

/** A distance beyond every folder of a project. */
const USER_DISTANCE = 1_000;

/** Renders what files say; empty when they say nothing. */
export function contextSection(
  files: readonly Discovered<ContextFile>[],
  instructions: readonly Discovered<InstructionFile>[],
  folders: SectionFolders,
  limits: SectionLimits,
): string {
  const general = instructions.filter(({ value }) => isForAll(value));
  const special = instructions.filter(({ value }) => !isForAll(value));
  const parts = [
    ...files.map((file) => partOf(file, folders)),
    ...general.map(({ value, level, isUntrusted = false }) => ({
      path: shown(value.path, folders),
      text: fencedText(value.content),
      distance: level === 'user' ? USER_DISTANCE : 0.5,
      isUntrusted,
    })),
  ].sort((a, b) => b.distance - a.distance);
  const listed = special.slice(0, limits.maxListed).map(({ value }) => ({
    path: shown(value.path, folders),
    globs: value.applyTo && tagValue(value.applyTo.join(', ')),
    description: value.description && fencedText(value.description.split('\n')[0] ?? ''),
  }));
  if (parts.length + listed.length === 0) return '';
  const more = special.length - listed.length;
  return renderPrompt(contextPrompt, {
    files: fitted(parts, limits.maxChars),
    hasUntrusted: parts.some(({ isUntrusted }) => isUntrusted),
    listed,
    ...(more > 0 && { more }),
  });
}

function isForAll({ applyTo }: InstructionFile): boolean {
  return applyTo === undefined || applyTo.some((glob) => glob === '**' || glob === '**/*' || glob === '*');
}

function partOf({ value, level, isUntrusted = false }: Discovered<ContextFile>, folders: SectionFolders): Part {
  const distance = level === 'user' ? USER_DISTANCE : (value.depth ?? USER_DISTANCE - 1);
  return { path: shown(value.path, folders), text: fencedText(value.content), distance, isUntrusted };
}

/** The nearest first get the room; the order of the text stays. */
function fitted(
  parts: readonly Part[],
  room: number,
): readonly { path: string; content: string; cut?: number; untrusted: boolean }[] {
  let remaining = room;
  const lengths = new Map<Part, number>();
  for (const part of [...parts].reverse()) {
    const length = Math.min(part.text.length, remaining);
    lengths.set(part, length);
    remaining -= length;
  }
  return parts.map((part) => {
    const content = wholeCharacters(part.text, lengths.get(part) ?? 0);
    const cut = part.text.length - content.length;
    return { path: part.path, content, untrusted: part.isUntrusted, ...(cut > 0 && { cut }) };
  });
}

/** Never half of a character that takes two units. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const isSplit = length < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isSplit ? length - 1 : length);
}

/** The path from the working folder, or with `~` where that is shorter or the file is the user's. */
function shown(path: string, { cwd, home }: SectionFolders): string {
  const candidates = [relative(cwd, path), isInside(path, home) ? `~/${relative(home, path)}` : path];
  const [best = path] = candidates.sort((a, b) => a.length - b.length);
  return tagValue(best);
}
