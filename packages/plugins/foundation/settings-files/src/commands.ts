import { existsSync } from 'node:fs';
import type { CommandCall } from '@tenon/command-line/api';
import type { KernelView } from '@tenon/host';
import { type Manifest, type SettingValue, TenonError } from '@tenon/kernel';
import { editInEditor } from './edit-command.ts';
import { errors } from './errors.ts';
import type { SettingsLocation } from './locations.ts';
import { writeSchema } from './schema-command.ts';
import { propertyAt } from './schema-walk.ts';
import { readValue } from './values.ts';
import { valueText } from './yaml-text.ts';

/** What the `config` commands work with. */
export interface ConfigParts {
  readonly settings: KernelView['settings'];
  manifests(): readonly Manifest[];
  readonly locations: Readonly<Record<'global' | 'project', () => SettingsLocation>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Run = (call: CommandCall) => Promise<number | void>;

/** The `config` commands by their second word. */
export function configCommands(parts: ConfigParts) {
  const { settings } = parts;
  return {
    async list({ args, flags, io }: CommandCall) {
      const prefix = textOf(args['prefix']);
      const all = await settings.list();
      const shown = all.filter(
        ({ key, layer }) => key.startsWith(prefix) && (flags['changed'] !== true || layer !== 'default'),
      );
      if (flags['json']) return io.json(shown);
      if (shown.length === 0) return io.err(noneText(prefix, flags['changed'] === true, all.length));
      await io.out(listText(shown, io));
    },
    async get({ args, flags, io }: CommandCall) {
      const key = textOf(args['key']);
      const value = await settings.get(key);
      if (flags['json']) return io.json(value ?? null);
      if (value !== undefined) await io.out(`${valueText(value)}\n`);
    },
    async set({ args, flags, io }: CommandCall) {
      const key = textOf(args['key']);
      const layer = layerOf(flags);
      const value = readValue(key, textOf(args['value']), propertyAt(parts.manifests(), key.split('.')));
      await settings.set(key, value, { layer }).catch((fault: unknown) => {
        throw refusedValue(fault, key, textOf(args['value'])) ?? fault;
      });
      await io.err(
        `${key} = ${valueText(value)}  (${parts.locations[layer]().write})\n${await overriddenText(parts, key, layer)}`,
      );
    },
    async unset({ args, flags, io }: CommandCall) {
      const key = textOf(args['key']);
      const layer = layerOf(flags);
      await settings.unset(key, { layer });
      const value = await settings.get(key);
      const now = value === undefined ? 'It is not set now.' : `It is ${valueText(value)} now.`;
      await io.err(`${key} was removed from ${parts.locations[layer]().write}. ${now}\n`);
    },
    edit: (call: CommandCall) => editInEditor(parts, layerOf(call.flags), call),
    async path({ flags, io }: CommandCall) {
      const layers = (await settings.layers()).map(({ name, rank, file }) => ({
        name,
        rank,
        file: file ?? null,
        exists: file !== undefined && existsSync(file),
      }));
      if (flags['json']) return io.json(layers);
      const width = Math.max(...layers.map(({ name }) => name.length));
      const line = ({ name, file, exists }: (typeof layers)[number]) =>
        `${name.padEnd(width)}  ${file ?? (name === 'flags' ? '--set KEY=VALUE' : 'environment variables')}${file && !exists ? '  (not there yet)' : ''}\n`;
      await io.out(layers.map(line).join(''));
    },
    async schema({ flags, io }: CommandCall) {
      const schema = await settings.schema();
      if (flags['write'] !== true) return io.json(schema);
      const layer = layerOf(flags);
      const file = await writeSchema(schema, parts.locations[layer], layer);
      await io.err(`Wrote ${file}; editors with YAML support now complete and check the settings.\n`);
    },
  } satisfies Record<string, Run>;
}

/** What was typed is wrong, not what is in a file: then the report is about that. */
function refusedValue(fault: unknown, key: string, text: string): TenonError | undefined {
  if (!(fault instanceof TenonError) || fault.code !== 'SETTINGS_INVALID' || fault.details['key'] !== key)
    return undefined;
  return errors.create('SETTINGS_FILES_REFUSED', { key, text, problem: fault.details['problem'] }, fault);
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function layerOf(flags: CommandCall['flags']): 'global' | 'project' {
  return flags['project'] === true ? 'project' : 'global';
}

function noneText(prefix: string, changed: boolean, total: number): string {
  if (total === 0) return 'No installed plugin has settings.\n';
  if (changed) return 'Every setting has its default.\n';
  return `No setting starts with "${prefix}". \`tenon config list\` shows all ${total}.\n`;
}

/** Says so when what was written has no effect because a higher layer decides. */
async function overriddenText({ settings }: ConfigParts, key: string, layer: string): Promise<string> {
  const now = (await settings.list()).find((setting) => setting.key === key);
  if (!now || now.layer === layer || now.layer === 'default') return '';
  return `But ${now.where} still decides: the value in use is ${valueText(now.value)}.\n`;
}

const MAX_VALUE_WIDTH = 40;

function listText(shown: readonly SettingValue[], { width, color }: { width: number; color: boolean }): string {
  const dim = (text: string) => (color ? `\u001b[2m${text}\u001b[22m` : text);
  const rows = shown.map(({ key, value, layer, where }) => ({
    key,
    value: cellText(value),
    from: layer === 'default' ? layer : where,
  }));
  const keyWidth = Math.max(...rows.map(({ key }) => key.length));
  const valueWidth = Math.min(MAX_VALUE_WIDTH, Math.max(...rows.map(({ value }) => value.length)));
  // Too narrow for three columns: where a value came from goes to a line of its own.
  const isNarrow = keyWidth + valueWidth + 4 + 12 > width;
  return rows
    .map(({ key, value, from }) =>
      isNarrow
        ? `${key}: ${value}\n  ${dim(from)}\n`
        : `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${dim(from)}\n`,
    )
    .join('');
}

/** One line, whatever the value is. */
function cellText(value: unknown): string {
  if (value === undefined) return '(not set)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\n\r]/.test(text) ? JSON.stringify(text) : text;
}
