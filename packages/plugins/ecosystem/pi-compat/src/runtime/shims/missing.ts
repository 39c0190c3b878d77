/**
 * Names that a module of pi has and the one here has not. Importing them must not keep an extension from loading: many only
 * need them in a mode that is not there. Using them says what is missing.
 */
export function withMissing(module: string, known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const made = new Map<string, unknown>();
  return new Proxy({ ...known } as Record<string, unknown>, {
    get(target, name) {
      if (typeof name !== 'string' || name in target || UNNAMED.has(name)) return Reflect.get(target, name) as unknown;
      if (!made.has(name)) made.set(name, standIn(module, name));
      return made.get(name);
    },
    has: (target, name) => (typeof name === 'string' && !UNNAMED.has(name)) || name in target,
  });
}

/** Names that loaders ask every module for. */
const UNNAMED = new Set(['__esModule', 'default', 'then', 'toJSON', '$$typeof', 'module.exports', 'constructor']);

/** A class and function that cannot be used. Classes can be made of it, as long as nobody makes an instance. */
function standIn(module: string, name: string): unknown {
  const refuse = (): never => {
    throw new Error(
      `"${name}" of ${module} is not available in Tenon. \`tenon read docs://guide/pi-extensions.md\` says what is.`,
    );
  };
  return new Proxy(function missing() {}, {
    apply: refuse,
    construct: refuse,
    get(target, key) {
      if (key === 'prototype' || typeof key === 'symbol') return Reflect.get(target, key) as unknown;
      if (key === 'name') return name;
      // Static methods such as `SessionManager.open()`, and members of enumerations.
      return key in target ? (Reflect.get(target, key) as unknown) : refuse;
    },
  });
}
