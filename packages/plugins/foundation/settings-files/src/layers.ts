import type { Manifest, SettingEdit, SettingsLayer } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { SettingsLocation } from './locations.ts';
import { isUserOnly, propertyAt, settingsWithVariables } from './schema-walk.ts';
import { type FileModes, readSettings, updateSettings } from './settings-file.ts';

/** Where the layers stand; a higher one overrides a lower one. */
export const RANK = { global: 10, project: 20, environment: 30, flags: 40 } as const;

/** A layer that is a YAML file. */
export interface FileLayerOptions {
  readonly name: 'global' | 'project';
  readonly location: () => SettingsLocation;
  readonly modes: FileModes;
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
      const text = await readSettings(file);
      if (text === undefined) return { values: {}, origin: file };
      const { parseSettings } = await import('./yaml-text.ts');
      const { values, locate } = parseSettings(text, file);
      return { values, origin: file, locate };
    },
    async write(edits) {
      const { write } = location();
      check?.(edits, write);
      await updateSettings(location, modes, async (text, file) => {
        const { editSettings } = await import('./yaml-edit.ts');
        return editSettings(text, edits, file);
      });
    },
  };
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
  isByAgent = false,
): SettingsLayer {
  return {
    name: 'environment',
    rank: RANK.environment,
    // An agent that starts Tenon chooses its variables: they may say what a project may say.
    fromProject: isByAgent,
    async read() {
      const named: string[] = [];
      for (const { path, property } of settingsWithVariables(manifests())) {
        const value = [property['x-env']]
          .flat()
          .map((entry) => valueIn(environment, entry))
          .find((text) => text !== undefined);
        if (value !== undefined) named.push(`${path.join('.')}=${value}`);
      }
      const values = await assign(named, 'environment', manifests());
      const listed = splitAssignments(environment['TENON_SET'] ?? '');
      return { values: await assign(listed, 'TENON_SET', manifests(), values), origin: 'environment' };
    },
  };
}

/** What a variable says about a setting. Names of other agents may have words of their own for its values; other words say nothing. */
function valueIn(environment: Readonly<Record<string, string | undefined>>, entry: unknown): string | undefined {
  if (typeof entry === 'string') return environment[entry] || undefined;
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { name, values } = entry as { readonly name: string; readonly values: Readonly<Record<string, unknown>> };
  const word = environment[name]?.trim().toLowerCase() ?? '';
  return Object.hasOwn(values, word) ? JSON.stringify(values[word]) : undefined;
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
