/** The package `typebox`, which pi uses today, in terms of its predecessor: the same builder, and checks under other names. */
import * as typebox from '@sinclair/typebox';
import type { TSchema } from '@sinclair/typebox';
import * as values from '@sinclair/typebox/value';

const { Value } = values;

/** A schema that is ready to check values. */
class Validator {
  readonly #schema: TSchema;
  constructor(schema: TSchema) {
    this.#schema = schema;
  }
  Type(): TSchema {
    return this.#schema;
  }
  Check(value: unknown): boolean {
    return Value.Check(this.#schema, value);
  }
  Errors(value: unknown): unknown[] {
    return [...Value.Errors(this.#schema, value)].map((error) => ({ ...error, instancePath: error.path }));
  }
  Clean(value: unknown): unknown {
    return Value.Clean(this.#schema, value);
  }
  Convert(value: unknown): unknown {
    return Value.Convert(this.#schema, value);
  }
  Default(value: unknown): unknown {
    return Value.Default(this.#schema, value);
  }
  Parse(value: unknown): unknown {
    return Value.Parse(this.#schema, value);
  }
  Decode(value: unknown): unknown {
    return Value.Decode(this.#schema, value);
  }
}

/** With or without definitions that the schema refers to. */
function Compile(...args: readonly TSchema[]): Validator {
  return new Validator((args.at(-1) ?? {}) as TSchema);
}

/** The modules of the package. */
export const typeboxOne: Readonly<Record<string, unknown>> = {
  typebox: { ...typebox, default: typebox.Type },
  'typebox/type': { ...typebox, ...typebox.Type, default: typebox.Type },
  'typebox/value': { ...values, ...Value, default: Value },
  'typebox/compile': { Compile, Validator, default: Compile },
  'typebox/schema': { Compile, Check: (schema: TSchema, value: unknown) => Value.Check(schema, value) },
};
