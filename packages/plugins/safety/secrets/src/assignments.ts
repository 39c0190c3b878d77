/** Values that are secrets by the name they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret: …`. */
import { type CredentialMatch, isExample, variety } from './credentials.ts';

/** Parts of names, in small letters; the rest is looked at only where one of them stands. */
export const NAME_WORDS: readonly string[] = ['pass', 'pwd', 'secret', 'token', 'credential', 'key', 'auth', 'dsn'];
/** Ends of names. `key` alone is too common: `primaryKey`, `cacheKey`. */
const SECRET_NAME =
  /(?:pass(?:word|wd|phrase)|pwd|secret|token|credential|(?:api|access|private|signing|encryption|master|secret|auth|account|storage|service|deploy|license)[_-]?key|(?:client|app|consumer|webhook|shared)[_-]?secret)s?$/i;
/** In `.env` files and shells every name in capitals with such a word at its end, or before a short last part. */
const SECRET_VARIABLE =
  /^[A-Z0-9_]*(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIAL|KEY|AUTH|DSN)S?(?:_[A-Z0-9]{1,12})?$/;
/** What may stand before the name in a line: also the anchor of a reader (`41th|`), a search's (`a.yml:3:`), the sign of a diff. */
const LINE_START = /(?:^|[\n\r|:+>~\u2502-])[ \t]*(?:(?:export|set|ENV|ARG|-)[ \t]+)*["']?$/;
const VALUE =
  /(?<rest>[\w-]{0,24})["']?(?<sign>[ \t]*(?:=>|:?=(?!=)|:)[ \t]*)(?:(?<quote>["'])(?<quoted>[^\s"'\\]{6,512})\k<quote>|(?<bare>[^\s"'#,;(){}<>$]{6,512})(?=\s|$))/y;
const LINE_END = /[ \t]*(?:#|[\n\r]|$)/y;
const MAX_NAME = 64;
const MAX_REST = 24;

/** The secret that is assigned to the name with this word in it, if there is one. */
export function assignedAt(text: string, start: number, word: string): CredentialMatch | undefined {
  const end = start + word.length;
  if (!mayAssign(text, end)) return undefined;
  VALUE.lastIndex = end;
  const match = VALUE.exec(text);
  if (match === null) return undefined;
  const { rest = '', sign = '', quoted, bare } = match.groups ?? {};
  const from = nameStart(text, start);
  const name = text.slice(from, end) + rest;
  const secret = quoted ?? bare ?? '';
  const at = match.index + match[0].lastIndexOf(secret);
  if (!isAssigned(text, { from, name, sign, secret, at, isQuoted: quoted !== undefined })) return undefined;
  return { start: at, text: secret };
}

/** Whether a colon or an equals sign follows the name; most words in a text are not assigned anything. */
function mayAssign(text: string, from: number): boolean {
  let at = from;
  while (at - from < MAX_REST && isNameCode(text.charCodeAt(at))) at++;
  const code = text.charCodeAt(at);
  if (code === QUOTE || code === DOUBLE_QUOTE) at++;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++;
  return text.charCodeAt(at) === COLON || text.charCodeAt(at) === EQUALS;
}

const [TAB, SPACE, DOUBLE_QUOTE, QUOTE, DASH, COLON, EQUALS, UNDERSCORE] = [9, 32, 34, 39, 45, 58, 61, 95];

/** Letters, digits, `_` and `-`. */
function isNameCode(code: number): boolean {
  const small = code | 0x20;
  return (small >= 97 && small <= 122) || (code >= 48 && code <= 57) || code === UNDERSCORE || code === DASH;
}

/** An assignment as it stands in a text. */
interface Assignment {
  readonly from: number;
  readonly name: string;
  readonly sign: string;
  readonly secret: string;
  readonly at: number;
  readonly isQuoted: boolean;
}

function isAssigned(text: string, { from, name, sign, secret, at, isQuoted }: Assignment): boolean {
  if (sign === '=' && SECRET_VARIABLE.test(name) && text[from - 1] !== '$') return isEnvironmentSecret(secret, name);
  if (secret.length < 8 || !SECRET_NAME.test(name)) return false;
  if (isQuoted) return isRandom(secret);
  // YAML and INI without quotes: a whole line, and a blank behind a colon.
  LINE_END.lastIndex = at + secret.length;
  const isLine = LINE_END.test(text) && LINE_START.test(text.slice(Math.max(0, from - 40), from));
  return isLine && sign.trim() !== '=>' && sign !== ':' && isRandom(secret);
}

function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && /[\w.-]/.test(text[start - 1] ?? '')) start--;
  return start;
}

/** What stands for something else: variables, calls, paths, addresses, names with dots, numbers, names of variables. */
const REFERENCE =
  /[$`(){}<>]|^[/~.]|^\w+:\/\/[^@]*$|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^[\d.,_-]+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^%\w*%|^(?:\d+[smhd])+$/;

function isEnvironmentSecret(secret: string, name: string): boolean {
  if (REFERENCE.test(secret) || isExample(secret)) return false;
  if (/^(?:true|false|yes|no|null|none|enabled|disabled|required|optional)$/i.test(secret)) return false;
  // `SSH_KEY=id_rsa` and `CACHE_KEY=users` are names; a password may be a word.
  return /PASS|PWD|SECRET/.test(name) ? variety(secret) > 3 : isRandom(secret);
}

/** Told apart from words and identifiers: digits among letters, or signs that no name has, and few repetitions. */
function isRandom(secret: string): boolean {
  if (REFERENCE.test(secret) || isExample(secret) || variety(secret) < 6) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s.-]/].filter((kind) => kind.test(secret)).length;
  if (kinds < 2 || !/\d|[^\w\s./:,|[\]?*+=&;!^\\-]/.test(secret)) return false;
  return !isReadable(secret);
}

/** `access-token-v2`, `oauth2_token`, `sha256`, `es2022`: words with a number at the end of one. */
function isReadable(secret: string): boolean {
  const words = secret.split(/[-_.:/ ]|(?<=[a-z])(?=[A-Z])/).filter(Boolean);
  const isWords = words.every((word) => /^(?:[A-Za-z]+\d{0,3}|\d{1,4}|v?\d+[a-z]?)$/.test(word));
  return isWords && !/\d.*[A-Za-z].*\d/.test(secret);
}
