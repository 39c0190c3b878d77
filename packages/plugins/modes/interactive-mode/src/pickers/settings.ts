/** All settings of all plugins: find, look at, change. */
import { faultText } from '@tenon/agent/api';
import { type SettingItem, SettingsList } from '@tenon/components';
import { agentSign, type KernelView, kernelView } from '@tenon/host';
import type { JsonSchema, SettingValue } from '@tenon/kernel';
import type { Seat } from '../seat.ts';
import { framed } from './framed.ts';
import { listRows } from './list-picker.ts';

type Property = JsonSchema & {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Property[];
  readonly properties?: Readonly<Record<string, Property>>;
  readonly additionalProperties?: unknown;
};

/** The rows below a list of settings: description and notice. */
const ABOUT_ROWS = 3;

/** Shows the settings with their values and layers, and changes them in the user's own file. */
export async function openSettings(seat: Seat): Promise<void> {
  const { settings } = await seat.ctx.find(kernelView);
  const schema = (await settings.schema()) as Property;
  const read = async () => (await settings.list()).map((setting) => asItem(setting, propertyAt(schema, setting.key)));
  const items = await read();
  await seat.ask<never>((done) => {
    const list = new SettingsList({
      look: seat,
      title: 'Settings',
      items,
      get maxRows() {
        return listRows(seat, ABOUT_ROWS);
      },
      onChange: async (key, value) => {
        const refused = await change(settings, key, value, propertyAt(schema, key));
        list.setItems(await read());
        return refused;
      },
      onCancel: () => done(undefined),
      requestFrame: () => seat.requestFrame(),
    });
    return framed(seat, list);
  });
}

function asItem(setting: SettingValue, property: Property | undefined): SettingItem {
  const { key, plugin, value, description, layer } = setting;
  return {
    key,
    group: plugin,
    value: shownValue(value),
    description,
    kind: kindOf(property),
    ...(layer !== 'default' && { hint: layer }),
  };
}

/** A value as it is shown and edited: texts as they are, everything else as JSON. */
function shownValue(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function kindOf(property: Property | undefined): SettingItem['kind'] {
  if (property?.type === 'boolean') return 'boolean';
  const choices = choicesOf(property);
  return choices.length > 0 ? { choices } : 'text';
}

/** The values that a schema lists, whether as `enum` or as constants of `anyOf`. */
function choicesOf(property: Property | undefined): string[] {
  if (property?.enum) return property.enum.map(shownValue);
  const parts = property?.anyOf ?? [];
  const isListed = (part: Property) => 'const' in part || part.type === 'boolean';
  if (parts.length === 0 || !parts.every(isListed)) return [];
  return parts.flatMap((part) => ('const' in part ? [shownValue(part['const'])] : ['true', 'false']));
}

function propertyAt(schema: Property, key: string): Property | undefined {
  let at: Property | undefined = schema;
  for (const name of key.split('.')) {
    const { properties = {}, additionalProperties: others }: Property = at ?? {};
    at = Object.hasOwn(properties, name)
      ? properties[name]
      : typeof others === 'object'
        ? (others as Property)
        : undefined;
  }
  return at;
}

/** Why settings are not changed here; nothing for people. What holds an agent is not its own to change, and it could drive this screen. */
export function agentRefusal(): string | undefined {
  const sign = agentSign();
  return sign === undefined ? undefined : `Only a person may change settings, and an agent runs this screen: ${sign}.`;
}

/** Sets a value, or sets it back; gives why that was refused, or what decides in its place. */
async function change(
  settings: KernelView['settings'],
  key: string,
  value: string | undefined,
  property: Property | undefined,
): Promise<string | undefined> {
  const refusal = agentRefusal();
  if (refusal !== undefined) return refusal;
  try {
    if (value === undefined) await settings.unset(key);
    else await settings.set(key, parsedValue(value, property));
    return await overruled(settings, key, value);
  } catch (fault) {
    return faultText(fault);
  }
}

function parsedValue(value: string, property: Property | undefined): unknown {
  if (property?.type === 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // a text without quotes; the check of the setting says whether it may be one
  }
}

/** A layer above the user's file may still decide. */
async function overruled(
  settings: KernelView['settings'],
  key: string,
  value: string | undefined,
): Promise<string | undefined> {
  if (value === undefined) return undefined;
  const now = (await settings.list()).find((setting) => setting.key === key);
  if (!now || shownValue(now.value) === shownValue(parsedValue(value, undefined))) return undefined;
  if (shownValue(now.value) === value) return undefined;
  return `Written, but ${now.layer} (${now.where}) decides: ${shownValue(now.value)}.`;
}
