/** Which words of a prompt name files: `what does @src/cart.ts do?`. E-mail addresses, packages (`@scope/name`) and decorators do not. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, resolve } from 'node:path';
import { errors } from './errors.ts';

/** A prompt, and the files that it names. */
export interface MentioningText {
  readonly text: string;
  readonly files: readonly string[];
}

/** An @ where a word begins, also behind a bracket or a quotation mark; `@@` is a literal @. Names with blanks stand in quotes. */
const MENTION = /(?<=^|[\s([{<"'`])@(@)?("[^"\n]+"|[^\s"'`@][^\s"'`]*)/g;
const TRAILING = /(?:[.,;:!?)\]}>]|:\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)$/;

/** A name that ends like this is meant as a file though there is none: then it is misspelt. */
const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|json[c5l]?|ya?ml|toml|ini|cfg|conf|env|mdx?|txt|rst|csv|tsv|log|py|pyi|ipynb|rs|go|java|kts?|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|sh|bash|zsh|fish|ps1|sql|html?|xml|s?css|less|vue|svelte|astro|proto|graphql|tf|gradle|lock|diff|patch|png|jpe?g|gif|webp|pdf|svg)$/i;

/** Finds the files that a prompt names. One that is not there is an error, where nothing else can be meant. */
export function mentionsIn(prompt: string, cwd: string): MentioningText {
  const files: string[] = [];
  const text = prompt.replace(MENTION, (whole, doubled: string | undefined, token: string) => {
    if (doubled !== undefined) return `@${token}`;
    const file = fileIn(token, cwd);
    if (file !== undefined && !files.includes(file)) files.push(file);
    return whole;
  });
  return { text, files };
}

function fileIn(token: string, cwd: string): string | undefined {
  if (token.startsWith('"')) return existing(token.slice(1, -1), cwd) ?? missing(token.slice(1, -1));
  for (let name = token; name !== ''; name = name.replace(TRAILING, '')) {
    if (existing(name, cwd) !== undefined) return name;
    if (!TRAILING.test(name)) return isMeantAsFile(name, cwd) ? missing(name) : undefined;
  }
  return undefined;
}

function existing(name: string, cwd: string): string | undefined {
  return existsSync(pathOf(name, cwd)) ? name : undefined;
}

function missing(file: string): never {
  throw errors.create('MODES_FILE_MISSING', { file });
}

function isMeantAsFile(name: string, cwd: string): boolean {
  return FILE_NAME.test(name) && !/[()=*$]/.test(name) && !isPackage(name, cwd);
}

/** Whether a word behind @ is the name of a package (`types/node`, `scope/chart.js`) rather than of a file that is not there. */
export function isPackage(name: string, cwd: string): boolean {
  if (!/^[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/i.test(name)) return false;
  if (!['', '.js'].includes(extname(name)) && !name.includes('@')) return false;
  return !existsSync(resolve(cwd, name.split('/')[0] ?? ''));
}

/** Where a named file is. */
export function pathOf(name: string, cwd: string): string {
  return name.startsWith('~/') ? resolve(homedir(), name.slice(2)) : resolve(cwd, name);
}
