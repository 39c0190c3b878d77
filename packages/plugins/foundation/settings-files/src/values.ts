import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { SettingProperty } from './schema-walk.ts';
import { parseValue } from './yaml-text.ts';

/** Reads a value that a person typed for a setting. */
export function readValue(key: string, text: string, property: SettingProperty | undefined): unknown {
  try {
    return parseValue(text, property);
  } catch (fault) {
    const [problem = ''] = messageOf(fault).split('\n');
    throw errors.create('SETTINGS_FILES_VALUE', { key, text, problem }, fault);
  }
}
