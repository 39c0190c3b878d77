/** What a CLI can do, in one form, and the mark of it: two descriptions that mean the same have the same. */
import { createHash } from 'node:crypto';
import type { WorkerCapabilities, WorkerTool } from '../spec.ts';

/** Tools without blanks and duplicates, in the order of their names; empty descriptions are left out. */
export function normalizeCapabilities(capabilities: WorkerCapabilities): WorkerCapabilities {
  const tools = new Map<string, WorkerTool>();
  for (const tool of capabilities.tools) {
    const name = tool.name.trim();
    const description = tool.description?.trim() ?? '';
    if (name === '' || tools.has(name)) continue;
    tools.set(name, { name, kind: tool.kind, ...(description !== '' && { description }) });
  }
  return { ...capabilities, tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** SHA-256 of the normalized capabilities as canonical JSON, in hexadecimal digits. */
export function fingerprint(capabilities: WorkerCapabilities): string {
  return createHash('sha256')
    .update(canonicalJson(normalizeCapabilities(capabilities)))
    .digest('hex');
}

/** JSON with the keys of all objects in order, and without blanks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`);
  return `{${members.join(',')}}`;
}
