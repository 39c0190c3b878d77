import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TenonError } from '@tenon/kernel';
import * as stateFiles from '@tenon/state-files';
import { errors } from './errors.ts';
import type { SettingsLocation } from './locations.ts';

/** How a file and its folder are made when they do not exist; a file that exists keeps its mode. */
export type FileModes = Pick<stateFiles.WriteOptions, 'mode' | 'folderMode'>;

/** The user's settings are private; a project's are as public as the project. */
export const PRIVATE: FileModes = { mode: 0o600, folderMode: 0o700 };
export const SHARED: FileModes = { mode: 0o644, folderMode: 0o755 };

/** The text of a settings file; undefined when there is none. */
export function readSettings(file: string): Promise<string | undefined> {
  return stateFiles.readText(file).catch(asSettingsFault);
}

/** Replaces a file beside the settings. */
export function replaceBeside(file: string, text: string, modes: FileModes): Promise<void> {
  return stateFiles.replaceFile(file, text, { ...modes, keepMode: true, followLinks: false }).catch(asSettingsFault);
}

/** Makes a copy for an editor; one that is there already may hold what somebody wrote, and is not overwritten. */
export async function makeCopy(copy: string, text: string, { folderMode }: FileModes): Promise<void> {
  try {
    await mkdir(dirname(copy), { recursive: true, mode: folderMode });
    await writeFile(copy, text, { mode: 0o600, flag: 'wx' });
  } catch (fault) {
    asSettingsFault(stateFiles.unwritable(copy, fault));
  }
}

/** Changes a settings file under its lock: `change` gets the present text and gives the new one. */
export async function updateSettings(
  location: () => SettingsLocation,
  modes: FileModes,
  change: (text: string, file: string) => Promise<string>,
): Promise<void> {
  const update = async (present: string | undefined) => {
    const { read, write } = location();
    const text = present ?? (read === write ? '' : await fromJson(read));
    const changed = await change(text, write);
    return changed === text ? undefined : changed;
  };
  await stateFiles.updateFile(location().write, update, { ...modes, keepMode: true }).catch(asSettingsFault);
}

/** The settings of a JSON file as the start of the YAML file that takes over; the JSON file itself is kept. */
async function fromJson(file: string): Promise<string> {
  const text = await readSettings(file);
  if (text === undefined) return '';
  const { parseSettings, settingsText } = await import('./yaml-text.ts');
  return settingsText(parseSettings(text, file).values);
}

/** A fault of a file becomes one of the settings, so that the program ends with their exit code. */
function asSettingsFault(fault: unknown): never {
  if (!(fault instanceof TenonError) || fault.owner !== stateFiles.errors.owner) throw fault;
  const { code, message, next, details } = fault;
  throw new TenonError({ code, message, next, details, owner: errors.owner, exit: 'config', cause: fault });
}
