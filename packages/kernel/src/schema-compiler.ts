/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in a bundle. */
import { Ajv } from 'ajv';

/** A compiler for the schemas of manifests, settings and slots. */
export function createCompiler(): Ajv {
  return new Ajv({ allErrors: true, strict: false, useDefaults: true, allowUnionTypes: true });
}
