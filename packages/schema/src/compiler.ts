/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in the built program. */
import { Ajv } from 'ajv';

/** A compiler for the schemas of manifests, settings and slots. Checking the schemas themselves would double its start. */
export function createCompiler(): Ajv {
  const options = { allErrors: true, strict: false, useDefaults: true, allowUnionTypes: true };
  return new Ajv({ ...options, validateSchema: false });
}
