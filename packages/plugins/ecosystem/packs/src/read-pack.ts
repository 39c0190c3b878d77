/** Reads the manifest of one pack. This is the slow way, taken only when the pack is new or has changed. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isBelow } from '@tenon/host';
import { type Manifest, messageOf, parseManifest, TenonError } from '@tenon/kernel';
import { checkPermissions } from '@tenon/pack-host/api';
import { errors } from './errors.ts';
import { findJsonMistake } from './json-position.ts';

/** The module that is imported when a manifest names none. */
export const DEFAULT_ENTRY = 'src/plugin.ts';

/** A manifest, or every complaint about it. */
export type ReadPack = { readonly manifest: Manifest } | { readonly problems: readonly TenonError[] };

/** Reads the package.json of a pack and checks all of it. */
export async function readPack(file: string): Promise<ReadPack> {
  try {
    const content = await readJson(file);
    const manifest = await parseManifest(sectionOf(content, file), file, versionOf(content));
    const problems = [
      ...checkPermissions(manifest.permissions ?? {}, { plugin: manifest.id, file }),
      ...entryProblems(manifest, file),
    ];
    return problems.length > 0 ? { problems } : { manifest };
  } catch (fault) {
    if (fault instanceof TenonError) return { problems: [fault] };
    throw fault;
  }
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it has no package.json' : code === 'ENOTDIR' ? 'it is no folder' : undefined;
    if (reason !== undefined) throw errors.create('PACKS_NO_MANIFEST', { folder: dirname(file), reason }, fault);
    throw errors.create('PACKS_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  try {
    return JSON.parse(text);
  } catch (fault) {
    const { line, column, reason } = findJsonMistake(text) ?? { line: 1, column: 1, reason: messageOf(fault) };
    throw errors.create('PACKS_JSON_INVALID', { file, line, column, reason }, fault);
  }
}

function sectionOf(content: unknown, file: string): unknown {
  if (typeof content === 'object' && content !== null && 'tenon' in content) return content.tenon;
  throw errors.create('PACKS_NO_MANIFEST', {
    folder: dirname(file),
    reason: 'its package.json has no "tenon" section',
  });
}

function versionOf(content: unknown): string {
  const version = typeof content === 'object' && content !== null && 'version' in content ? content.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}

function entryProblems({ id, entry = DEFAULT_ENTRY }: Manifest, file: string): TenonError[] {
  const folder = dirname(file);
  const path = resolve(folder, entry);
  const complain = (reason: string) => [errors.create('PACKS_ENTRY_INVALID', { plugin: id, file, entry, reason })];
  if (!isBelow(path, folder)) return complain('lies outside the pack');
  return existsSync(path) ? [] : complain('does not exist');
}
