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

/** All settings that manifests declare, sections included, each with its path. */
export function* walkSettings(
  manifests: Iterable<Manifest>,
): Generator<{ path: readonly string[]; property: SettingProperty }> {
  for (const { id, settings } of manifests) if (settings) yield* walk(id.split('.'), settings as SettingProperty);
}

function* walk(
  path: readonly string[],
  property: SettingProperty,
): Generator<{ path: readonly string[]; property: SettingProperty }> {
  yield { path, property };
  for (const [key, inner] of Object.entries(property.properties ?? {})) yield* walk([...path, key], inner);
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
