import { describe, expect, it } from 'vitest';
import decided from './setting-classes.json' with { type: 'json' };
import { settingsPage } from '../docs/settings-page.mjs';
import { pluginPackages, REPOSITORY } from '../workspace.mjs';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-scope'?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
}

/** The classes of the settings that have no parts. */
function classesOf(schema: Schema, key: string, outer = 'trusted'): (readonly [key: string, scope: string])[] {
  const own = outer === 'user' ? outer : (schema['x-scope'] ?? outer);
  if (!schema.properties) return [[key, own]];
  return Object.entries(schema.properties).flatMap(([name, part]) => classesOf(part, `${key}.${name}`, own));
}

/** The settings that have no parts, and whether only the user may set them. */
function leaves(schema: Schema, key: string, isUsers = false): (readonly [key: string, isUsers: boolean])[] {
  const own = isUsers || schema['x-scope'] === 'user';
  const parts = Object.entries(schema.properties ?? {});
  return parts.length === 0 ? [[key, own]] : parts.flatMap(([name, part]) => leaves(part, `${key}.${name}`, own));
}

describe('every setting', () => {
  it('has a class that says what a project may do with it, written down here so that a new one is a decision', () => {
    const classes = pluginPackages(REPOSITORY).flatMap(({ json }) =>
      json.tenon.settings ? classesOf(json.tenon.settings as Schema, json.tenon.id as string) : [],
    );
    expect(Object.fromEntries(classes)).toEqual(decided);
  });

  it.each(['approval', 'sandbox', 'secrets', 'pack-host', 'marketplace'])('of %s is closed to projects', (id) => {
    const own = Object.entries(decided).filter(([key]) => key.startsWith(`${id}.`));
    expect(own.length).toBeGreaterThan(1);
    for (const [key, scope] of own) expect(scope, key).toMatch(/^(?:user|tighten:.+)$/);
  });

  it.each(Object.entries(decided).filter(([, scope]) => scope.startsWith('tighten:')))(
    '%s has a direction that fits its type: %s',
    (key, scope) => {
      const [id = '', ...path] = key.split('.');
      const json = pluginPackages(REPOSITORY).find((pkg) => pkg.json.tenon.id === id)?.json;
      let schema = json?.tenon.settings as Schema | undefined;
      for (const name of path) schema = schema?.properties?.[name];
      const rule = scope.slice('tighten:'.length);
      if (rule === 'true' || rule === 'false') expect(schema?.type).toBe('boolean');
      else if (rule === 'lower' || rule === 'higher') expect(['integer', 'number']).toContain(schema?.type);
      else if (rule === 'add' || rule === 'remove') expect(schema?.type).toBe('array');
      else expect(rule.split('<').sort()).toEqual([...(schema?.enum ?? [])].sort());
    },
  );
});

describe('the page of all settings', () => {
  it('says of everything that only the user may set, also of the parts of something larger, that a project cannot', async () => {
    const { text } = await settingsPage(REPOSITORY);
    const settings = pluginPackages(REPOSITORY).flatMap(({ json }) =>
      json.tenon.settings?.properties ? leaves(json.tenon.settings as Schema, json.tenon.id as string) : [],
    );
    const described = new Map(
      text.split('\n').flatMap((line: string) => {
        const key = /^\| `([^`]+)` \|/.exec(line)?.[1];
        return key === undefined ? [] : [[key, line.includes('Not taken from a project.')] as const];
      }),
    );
    expect(described.get('web-tools.sites.github')).toBe(true);
    expect(described).toEqual(new Map(settings));
  });
});
