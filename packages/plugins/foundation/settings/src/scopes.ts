/**
 * What a project's settings may do, as the schemas say (`x-scope`):
 *
 * - `user`: nothing. Only the user's own file, the environment and flags count.
 * - `tighten:…`: only make it stricter than the user has it, whether the project is trusted or not.
 * - `trusted`: anything, where the user trusts the project. This holds for every setting that says nothing.
 * - `project`: anything, always. For what can do no harm.
 */
import { checkSchema, type JsonSchema } from '@tenon/kernel';
import { isPlainObject } from './values.ts';

/** A class of settings. */
export type Scope = 'user' | 'trusted' | 'project' | `tighten:${string}`;

type Property = JsonSchema & {
  readonly 'x-scope'?: unknown;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly additionalProperties?: unknown;
};

/** The class of a setting whose schema says `stated`, below something of class `outer`. */
export function scopeOf(stated: unknown, outer: Scope = 'trusted'): Scope {
  if (outer === 'user' || stated === 'user') return 'user';
  if (stated === 'trusted' || stated === 'project') return stated;
  if (typeof stated === 'string' && stated.startsWith('tighten:')) return stated as Scope;
  // A word that nobody knows must not open anything.
  return stated === undefined ? outer : 'user';
}

/** All settings of a schema that have no parts, with their classes. */
export function scopesIn(
  schema: JsonSchema,
  path: readonly string[] = [],
  outer: Scope = 'trusted',
): [string, Scope][] {
  const { properties } = schema as Property;
  const own = scopeOf((schema as Property)['x-scope'], outer);
  if (properties === undefined) return [[path.join('.'), own]];
  return Object.entries(properties).flatMap(([key, property]) => scopesIn(property, [...path, key], own));
}

/** What a project says about one setting, and what becomes of it. */
export interface Ruling {
  readonly path: readonly string[];
  readonly verdict: 'taken' | 'user-only' | 'needs-trust' | 'looser' | 'unfit';
  /** What counts, where it is taken. */
  readonly value?: unknown;
}

/** Judges the section of one plugin in a project's layer; `base` is what the user has. */
export function judgeSection(
  schema: JsonSchema,
  section: unknown,
  base: unknown,
  isTrusted: boolean,
  path: readonly string[] = [],
  outer: Scope = 'trusted',
): Ruling[] {
  const property = schema as Property;
  const scope = scopeOf(property['x-scope'], outer);
  if (property.properties !== undefined) {
    if (!isPlainObject(section)) return [{ path, verdict: isTrusted ? 'taken' : 'unfit', value: section }];
    return Object.entries(section).flatMap(([key, value]): Ruling[] => {
      const inner = Object.hasOwn(property.properties ?? {}, key) ? property.properties?.[key] : undefined;
      const below = isPlainObject(base) ? base[key] : undefined;
      if (inner) return judgeSection(inner, value, below, isTrusted, [...path, key], scope);
      // A name that the plugin does not know keeps it from starting. Nobody but those who may say anything may do that.
      return [{ path: [...path, key], verdict: isTrusted ? 'taken' : 'unfit', value }];
    });
  }
  return [{ path, ...judgeValue(property, scope, section, base, isTrusted) }];
}

function judgeValue(
  property: Property,
  scope: Scope,
  value: unknown,
  base: unknown,
  isTrusted: boolean,
): Omit<Ruling, 'path'> {
  if (scope === 'user') return { verdict: 'user-only' };
  if (scope === 'trusted') return isTrusted ? { verdict: 'taken', value } : { verdict: 'needs-trust' };
  // A value that does not fit would keep the plugin from starting.
  if (!isTrusted && checkSchema(property, structuredClone(value)).length > 0) return { verdict: 'unfit' };
  if (scope === 'project') return { verdict: 'taken', value };
  const stricter = tightened(scope.slice('tighten:'.length), value, base);
  return stricter === undefined ? { verdict: 'looser' } : { verdict: 'taken', value: stricter };
}

/** The stricter one of two values by a rule: `false`, `true`, `lower`, `higher`, `add`, `remove` or `loosest<…<strictest`. */
export function tightened(rule: string, value: unknown, base: unknown): unknown {
  switch (rule) {
    case 'true':
    case 'false':
      return value === (rule === 'true') ? value : undefined;
    case 'lower':
    case 'higher': {
      if (typeof value !== 'number') return undefined;
      if (typeof base !== 'number') return value;
      return (rule === 'lower' ? value <= base : value >= base) ? value : undefined;
    }
    case 'add':
      return Array.isArray(value) ? [...new Set([...asList(base), ...value])] : undefined;
    case 'remove':
      return Array.isArray(value) ? asList(base).filter((entry) => value.includes(entry)) : undefined;
    default: {
      const order = rule.split('<');
      const at = order.indexOf(String(value));
      return at >= 0 && at >= order.indexOf(String(base)) ? value : undefined;
    }
  }
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
