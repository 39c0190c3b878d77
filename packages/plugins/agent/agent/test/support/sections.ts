import type { Manifest } from '@tenon/kernel';

type Schema = { readonly default?: unknown; readonly properties?: Readonly<Record<string, Schema>> };

/** A settings engine without files: what the manifests say, and what a test says on top of it. */
export function sections(own: Readonly<Record<string, object>>): { section(manifest: Manifest): Promise<object> } {
  return { section: async ({ id, settings }) => ({ ...defaultsOf((settings ?? {}) as Schema), ...own[id] }) };
}

function defaultsOf({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [
      key,
      schema.properties ? { ...defaultsOf(schema), ...(schema.default as object | undefined) } : schema.default,
    ]),
  );
}
