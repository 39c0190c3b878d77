import type { Manifest, SettingEdit, SettingsLayer } from '@tenon/kernel';
import { errors } from './errors.ts';
import { withFileLock } from './file-lock.ts';
import type { SettingsLocation } from './locations.ts';
import { isUserOnly, propertyAt, walkSettings } from './schema-walk.ts';
import { followLinks, makeFolderOf, type NewFileModes, readText, replaceFile } from './text-file.ts';

/** Where the layers stand; a higher one overrides a lower one. */
export const RANK = { global: 10, project: 20, environment: 30, flags: 40 } as const;

/** The user's settings are nobody else's business; a project's are as public as the project. */
export const PRIVATE: NewFileModes = { file: 0o600, folder: 0o700 };
export const SHARED: NewFileModes = { file: 0o644, folder: 0o755 };

/** A layer that is a YAML file. */
export interface FileLayerOptions {
  readonly name: 'global' | 'project';
  readonly location: () => SettingsLocation;
  readonly modes: NewFileModes;
  /** Refuses what the layer must not set. */
  check?(edits: readonly SettingEdit[], file: string): void;
}

/** A layer that is a YAML file. Its place is looked up each time: files come and go while Tenon runs. */
export function fileLayer({ name, location, modes, check }: FileLayerOptions): SettingsLayer {
  return {
    name,
    rank: RANK[name],
    fromProject: name === 'project',
    get file() {
      return location().write;
    },
    async read() {
      const { read: file } = location();
      const text = await readText(file);
      if (text === undefined) return { values: {}, origin: file };
      const { parseSettings } = await import('./yaml-text.ts');
      const { values, locate } = parseSettings(text, file);
      return { values, origin: file, locate };
    },
    async write(edits) {
      const { write } = location();
      check?.(edits, write);
      await updateFile(location, modes, async (text, file) => {
        const { editSettings } = await import('./yaml-edit.ts');
        return editSettings(text, edits, file);
      });
    },
  };
}

/** Changes a settings file under its lock: reads it again, lets `change` make the new text, replaces it in one step. */
export async function updateFile(
  location: () => SettingsLocation,
  modes: NewFileModes,
  change: (text: string, file: string) => Promise<string>,
): Promise<void> {
  // The link stays; the file it leads to is replaced.
  const target = await followLinks(location().write);
  await makeFolderOf(target, modes);
  const attempt = () =>
    withFileLock(target, async (lock) => {
      const { read, write } = location();
      const text = (await readText(write)) ?? (read === write ? '' : await fromJson(read));
      const changed = await change(text, write);
      if (!(await lock.isHeld())) return false;
      if (changed !== text) await replaceFile(target, changed, modes);
      return true;
    });
  while (!(await attempt()));
}

/** The settings of a JSON file as the start of the YAML file that takes over; the JSON file itself is kept. */
async function fromJson(file: string): Promise<string> {
  const text = await readText(file);
  if (text === undefined) return '';
  const { parseSettings, settingsText } = await import('./yaml-text.ts');
  return settingsText(parseSettings(text, file).values);
}

/** Refuses to write into a project what only the user may set. */
export function refuseUserOnly(edits: readonly SettingEdit[], manifests: readonly Manifest[], file: string): void {
  for (const { path, value } of edits) {
    if (value !== undefined && isUserOnly(manifests, path)) {
      throw errors.create('SETTINGS_FILES_USER_ONLY', { key: path.join('.'), file });
    }
  }
}

/** `--set` flags as a layer. */
export function flagsLayer(assignments: readonly string[], manifests: () => readonly Manifest[]): SettingsLayer {
  return {
    name: 'flags',
    rank: RANK.flags,
    read: async () => ({ values: await assign(assignments, '--set', manifests()), origin: '--set' }),
  };
}

/** Environment variables as a layer: those that settings name with `x-env`, then `TENON_SET`. */
export function environmentLayer(
  environment: Readonly<Record<string, string | undefined>>,
  manifests: () => readonly Manifest[],
): SettingsLayer {
  return {
    name: 'environment',
    rank: RANK.environment,
    async read() {
      const named: string[] = [];
      for (const { path, property } of walkSettings(manifests())) {
        const variables = [property['x-env']].flat().filter((name) => typeof name === 'string');
        const value = variables.map((name) => environment[name]).find((text) => text !== undefined && text !== '');
        if (value !== undefined) named.push(`${path.join('.')}=${value}`);
      }
      const values = await assign(named, 'environment', manifests());
      const listed = splitAssignments(environment['TENON_SET'] ?? '');
      return { values: await assign(listed, 'TENON_SET', manifests(), values), origin: 'environment' };
    },
  };
}

/** Splits at semicolons; `\;` is a semicolon in a value. */
export function splitAssignments(text: string): string[] {
  return text
    .split(/(?<!\\);/)
    .map((part) => part.replaceAll('\\;', ';').trim())
    .filter(Boolean);
}

async function assign(
  assignments: readonly string[],
  origin: string,
  manifests: readonly Manifest[],
  values: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  if (assignments.length === 0) return values;
  const { readValue } = await import('./values.ts');
  for (const text of assignments) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(0, at)).trim();
    if (key === '' || key.split('.').some((part) => part === '' || part === '__proto__')) {
      throw errors.create('SETTINGS_FILES_ASSIGNMENT', { text, origin });
    }
    const path = key.split('.');
    put(values, path, readValue(key, text.slice(at + 1), propertyAt(manifests, path)));
  }
  return values;
}

function put(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) values[head] = value;
  else {
    const inner = values[head];
    const section =
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Record<string, unknown>) : {};
    values[head] = section;
    put(section, rest, value);
  }
}
