import { describe, expect, it } from 'vitest';
import { settingsPage } from '../docs/settings-page.mjs';
import { pluginPackages, REPOSITORY } from '../workspace.mjs';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-scope'?: string;
}

/** The settings that have no parts, and whether only the user may set them. */
function leaves(schema: Schema, key: string, isUsers = false): (readonly [key: string, isUsers: boolean])[] {
  const own = isUsers || schema['x-scope'] === 'user';
  const parts = Object.entries(schema.properties ?? {});
  return parts.length === 0 ? [[key, own]] : parts.flatMap(([name, part]) => leaves(part, `${key}.${name}`, own));
}

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
