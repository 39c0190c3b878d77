import { basename, dirname, join } from 'node:path';
import type { JsonSchema } from '@tenon/kernel';
import type { SettingsLocation } from './locations.ts';
import { PRIVATE, replaceBeside, SHARED, updateSettings } from './settings-file.ts';

const SCHEMA_FILE = 'settings.schema.json';
const HINT = '# yaml-language-server: $schema=';

/** Stores the schema beside a settings file and points the file to it. Gives the schema's file. */
export async function writeSchema(
  schema: JsonSchema,
  location: () => SettingsLocation,
  layer: 'global' | 'project',
): Promise<string> {
  const modes = layer === 'project' ? SHARED : PRIVATE;
  const file = join(dirname(location().write), SCHEMA_FILE);
  await replaceBeside(file, `${JSON.stringify(schema, null, 2)}\n`, modes);
  await updateSettings(location, modes, async (text) =>
    text.includes(HINT) ? text : `${HINT}./${basename(file)}\n${text}`,
  );
  return file;
}
