import { basename, dirname, join } from 'node:path';
import type { JsonSchema } from '@tenon/kernel';
import { PRIVATE, SHARED, updateFile } from './layers.ts';
import type { SettingsLocation } from './locations.ts';
import { makeFolderOf, replaceFile } from './text-file.ts';

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
  await makeFolderOf(file, modes);
  await replaceFile(file, `${JSON.stringify(schema, null, 2)}\n`, modes);
  await updateFile(location, modes, async (text) =>
    text.includes(HINT) ? text : `${HINT}./${basename(file)}\n${text}`,
  );
  return file;
}
