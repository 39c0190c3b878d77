import type { TSchema } from '@sinclair/typebox';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { isPlainlyValid } from './plain.ts';

/** One thing wrong with a value: where in it (dotted path, empty for the whole) and what. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** A JSON Schema as data, as manifests carry it; TypeBox schemas are such data. */
export type JsonSchema = TSchema | Readonly<Record<string, unknown>>;

let ajv: Ajv | undefined;
const compiled = new WeakMap<object, ValidateFunction>();

/** Imports the schema compiler, which takes a while: for those who check with `checkSchema`. */
export async function loadSchemaCompiler(): Promise<void> {
  ajv ??= (await import('./compiler.ts')).createCompiler();
}

/** Checks a value, and loads the schema compiler if that cannot be done without it. Missing members that have a default in the schema are filled in place. */
export async function checkValue(schema: JsonSchema, value: unknown): Promise<SchemaProblem[]> {
  if (isPlainlyValid(schema, value)) return [];
  await loadSchemaCompiler();
  return compiledCheck(schema, value);
}

/** The same at once, where the compiler has been loaded before. */
export function checkSchema(schema: JsonSchema, value: unknown): SchemaProblem[] {
  return isPlainlyValid(schema, value) ? [] : compiledCheck(schema, value);
}

function compiledCheck(schema: JsonSchema, value: unknown): SchemaProblem[] {
  if (!ajv) throw new Error('checkSchema() was called before loadSchemaCompiler() had finished');
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  return validate(value) ? [] : (validate.errors ?? []).map(describe);
}

/** The problems as one line. */
export function problemText(problems: readonly SchemaProblem[]): string {
  return problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
}

function describe(error: ErrorObject): SchemaProblem {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer).join('.');
  const { params } = error as { params: Record<string, unknown> };
  switch (error.keyword) {
    case 'additionalProperties':
      return { path, message: `has the unknown key "${String(params['additionalProperty'])}"` };
    case 'required':
      return { path, message: `lacks the key "${String(params['missingProperty'])}"` };
    case 'enum':
      return { path, message: `must be one of ${JSON.stringify(params['allowedValues'])}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    default:
      return { path, message: error.message ?? 'is invalid' };
  }
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
