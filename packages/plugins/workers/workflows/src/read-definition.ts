/** Reads a definition, and the values for its inputs. */
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { parseDocument } from 'yaml';
import { type Definition, meant, problemsOf } from './definition.ts';
import { errors } from './errors.ts';

const MAX_BYTES = 1024 * 1024;

/** What holds a definition as code. */
const CODE: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);
const isCode = (file: string) => CODE.has(extname(file).toLowerCase());

/** The definition of a file, checked. Code is evaluated, once: what it gives is what the journal keeps. */
export async function readDefinition(file: string): Promise<Definition> {
  let value: unknown;
  try {
    const found = await stat(file).catch((fault: NodeJS.ErrnoException) => {
      throw fault.code === 'ENOENT' ? new Error('it does not exist') : fault;
    });
    if (!found.isFile()) throw new Error('it is not a file');
    if (found.size > MAX_BYTES) throw new Error('it is larger than 1 MB');
    // As the journal will hold it: written out, aliases can be far larger than the file, or have no end.
    const written = JSON.stringify(await (isCode(file) ? evaluated(file) : parsed(file))) ?? 'null';
    if (written.length > 2 * MAX_BYTES) throw new Error('with its aliases written out it is larger than 2 MB');
    value = JSON.parse(written) as unknown;
  } catch (fault) {
    if (fault instanceof TenonError) throw fault;
    throw errors.create('WORKFLOWS_UNREADABLE', { file, reason: messageOf(fault).trim() }, fault);
  }
  const problems = await problemsOf(value);
  if (problems.length > 0) throw errors.create('WORKFLOWS_INVALID', { file, problems: problems.join('; ') });
  return value as Definition;
}

async function parsed(file: string): Promise<unknown> {
  // JSON is YAML, too.
  const document = parseDocument(await readFile(file, 'utf8'), { prettyErrors: true });
  const [problem] = document.errors;
  if (problem) throw problem;
  return document.toJS({ maxAliasCount: 100 });
}

async function evaluated(file: string): Promise<unknown> {
  return (await import('./evaluate-definition.ts')).evaluateDefinition(file);
}

/** The values of all inputs: those of the command line, else the defaults. */
export function inputsOf({ inputs = {} }: Definition, given: readonly string[]): Record<string, string> {
  const names = Object.keys(inputs);
  const values: Record<string, string> = {};
  for (const word of given) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (at < 1) throw errors.create('WORKFLOWS_INPUT', { problem: `"${word}" is not NAME=VALUE` });
    if (!Object.hasOwn(inputs, name))
      throw errors.create('WORKFLOWS_INPUT', { problem: `There is no input "${name}"${meant(name, names)}` });
    values[name] = word.slice(at + 1);
  }
  for (const [name, { default: usual }] of Object.entries(inputs)) {
    if (Object.hasOwn(values, name)) continue;
    if (usual === undefined) throw errors.create('WORKFLOWS_INPUT', { problem: `The input "${name}" is missing` });
    values[name] = usual;
  }
  return values;
}
