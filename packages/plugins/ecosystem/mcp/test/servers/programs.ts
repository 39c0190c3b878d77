/** The servers that tests start, and what they leave behind. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ToolResult } from '@tenon/tools/api';

export const PLAIN = join(import.meta.dirname, 'plain.mjs');
const { resolve } = createRequire(import.meta.url);
export const EVERYTHING = resolve('@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** A plain server with these flags. */
export function plain(...flags: string[]) {
  return { command: process.execPath, args: [PLAIN, ...flags] };
}

/** Which processes were started, by the mark that each of them leaves. */
export function marks(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
}

/** The text of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}
