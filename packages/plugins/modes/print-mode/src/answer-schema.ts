/** A final answer that has to fit a JSON Schema. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import { checkSchema, type JsonSchema, loadSchemaCompiler, problemText } from '@tenon/schema';
import { errors } from './errors.ts';

/** An answer that was read: the value, or what is wrong with it. */
export type ReadAnswer = { readonly value: unknown } | { readonly problem: string };

/** The schema of the flags. */
export class AnswerSchema {
  readonly text: string;
  readonly #schema: JsonSchema;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
    this.text = JSON.stringify(schema);
  }

  /** Reads an answer; a code fence around it is forgiven. */
  read(answer: string): ReadAnswer {
    const bare = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(answer)?.[1] ?? answer;
    let value: unknown;
    try {
      value = JSON.parse(bare);
    } catch (fault) {
      return { problem: `it is not JSON: ${messageOf(fault)}` };
    }
    const problems = checkSchema(this.#schema, value);
    return problems.length === 0 ? { value } : { problem: problemText(problems) };
  }
}

/** Reads the flags; the schema is written out, or is in a file. */
export async function answerSchema({ flags, cwd }: Pick<ModeCall, 'flags' | 'cwd'>): Promise<AnswerSchema | undefined> {
  const [flag, ...others] = ['json-schema', 'output-schema'].filter((name) => typeof flags[name] === 'string');
  if (flag === undefined) return undefined;
  if (others.length > 0) throw errors.create('PRINT_TWO_SCHEMAS');
  const given = String(flags[flag]);
  const text = given.trimStart().startsWith('{') ? given : await schemaFile(given, flag, cwd);
  await loadSchemaCompiler();
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw new Error('it is not an object');
    const answer = new AnswerSchema(schema as JsonSchema);
    // Compiles it: a schema that is wrong must not cost a model call.
    answer.read('null');
    return answer;
  } catch (fault) {
    throw errors.create('PRINT_SCHEMA_INVALID', { flag, reason: messageOf(fault) }, fault);
  }
}

async function schemaFile(given: string, flag: string, cwd: string): Promise<string> {
  const file = given.replace(/^@/, '');
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (fault) {
    const isMissing = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? `there is no file "${file}"` : messageOf(fault);
    throw errors.create('PRINT_SCHEMA_INVALID', { flag, reason }, fault);
  }
}
