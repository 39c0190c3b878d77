import type { Manifest } from '@tenon/kernel';

/** What manifests say about one setting. */
export interface SettingProperty {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, SettingProperty>>;
  readonly additionalProperties?: unknown;
  /** `user`: a project must not set it. */
  readonly 'x-scope'?: unknown;
  /** Environment variables that set it, the first one that is set wins: names, or `{ name, values }` with what each word means. */
  readonly 'x-env'?: unknown;
}

/** The settings that manifests declare, sections included, that environment variables can set, each with its path. */
export function settingsWithVariables(
  manifests: Iterable<Manifest>,
): { path: readonly string[]; property: SettingProperty }[] {
  const found: { path: readonly string[]; property: SettingProperty }[] = [];
  // Every start looks at all settings, and few of them have a variable: nothing is made for the others.
  const path: string[] = [];
  const walk = (property: SettingProperty): void => {
    if (property['x-env'] !== undefined) found.push({ path: [...path], property });
    for (const key in property.properties) {
      path.push(key);
      walk(property.properties[key] as SettingProperty);
      path.pop();
    }
  };
  for (const { id, settings } of manifests) {
    path.splice(0, path.length, ...id.split('.'));
    if (settings) walk(settings as SettingProperty);
  }
  return found;
}

/** What is declared about the setting at a path. */
export function propertyAt(manifests: Iterable<Manifest>, path: readonly string[]): SettingProperty | undefined {
  const key = path.join('.');
  for (const { id, settings } of manifests) {
    if (!settings || (key !== id && !key.startsWith(`${id}.`))) continue;
    let property: SettingProperty | undefined = settings as SettingProperty;
    for (const name of path.slice(id.split('.').length)) {
      const extra: unknown = property?.additionalProperties;
      property =
        property?.properties?.[name] ??
        (typeof extra === 'object' && extra !== null ? (extra as SettingProperty) : undefined);
    }
    return property;
  }
  return undefined;
}

/** Whether a setting, or the section around it, may be set by the user only. */
export function isUserOnly(manifests: readonly Manifest[], path: readonly string[]): boolean {
  return path.some((_, index) => propertyAt(manifests, path.slice(0, index + 1))?.['x-scope'] === 'user');
}
