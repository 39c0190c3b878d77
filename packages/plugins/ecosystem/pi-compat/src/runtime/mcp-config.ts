/** Checks the configuration of an MCP server where the extension can still hear what is wrong with it. */
import { plain } from './plain.ts';

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
const isList = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Two underscores part the server from the tool in the name of a tool. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_)){0,63}$/;

/** What each field must be, when it is there. */
const FIELDS: Readonly<Record<string, readonly [check: (value: unknown) => boolean, what: string]>> = {
  type: [(value) => value === 'stdio' || value === 'http' || value === 'sse', '"stdio", "http" or "sse"'],
  command: [isText, 'a text'],
  args: [isList, 'a list of texts'],
  env: [isTexts, 'an object of texts'],
  cwd: [isText, 'a text'],
  url: [
    (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
    'an http or https address',
  ],
  headers: [isTexts, 'an object of texts'],
  oauth: [isRecord, 'an object'],
  enabled: [(value) => typeof value === 'boolean', 'true or false'],
  timeout: [(value) => typeof value === 'number' && value > 0, 'a number of seconds'],
  exposure: [isText, 'a text'],
  description: [(value) => typeof value === 'string', 'a text'],
  toolExposure: [isTexts, 'an object of texts'],
};

/** A copy of the configuration; throws what is wrong with it. */
export function checkServer(name: unknown, config: unknown): Fields {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(`"${String(name)}" is not a name for an MCP server: use letters, digits, ".", "-" and "_"`);
  if (!isRecord(config)) throw new TypeError(`the MCP server "${name}" has no configuration`);
  const copy: Fields = plain(config);
  if ((copy['command'] === undefined) === (copy['url'] === undefined))
    throw new TypeError(`the MCP server "${name}" needs either a "command" or a "url"`);
  for (const [field, [check, what]] of Object.entries(FIELDS))
    if (copy[field] !== undefined && !check(copy[field]))
      throw new TypeError(`"${field}" of the MCP server "${name}" must be ${what}`);
  return copy;
}
