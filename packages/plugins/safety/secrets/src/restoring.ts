/**
 * Where a placeholder in a call becomes the secret again. A model writes placeholders into commands, addresses and files, also
 * when somebody else talked it into that; so the real value goes only
 * - back into a file that holds it already, because an edit of `.env` must not destroy what the model cannot see;
 * - where a rule in the user's own `secrets.yml` says so.
 */
import { open } from 'node:fs/promises';
import type { ToolInputEvent, Touches } from '@tenon/tools/api';
import type { KnownPlaceholder, Masker } from './masker.ts';
import type { RestorePlace, SecretRule } from './secret-list.ts';

/** Tools of Tenon's own that write what they are given into the files they declare. */
const FILE_TOOLS = new Set(['write', 'edit']);
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Parts of an input that name things: a secret has no place in a name. */
const NAMES = new Set(['path', 'file', 'file_path', 'url']);

/** Gives the input of a call the secrets that it may have; says why it cannot be made otherwise. */
export class Restoring {
  readonly #masker: Masker;
  readonly #rules: readonly SecretRule[];

  constructor(masker: Masker, rules: readonly SecretRule[]) {
    this.#masker = masker;
    this.#rules = rules.filter(({ restore }) => restore !== undefined);
  }

  async input(event: ToolInputEvent): Promise<ToolInputEvent> {
    // Mostly there is nothing that looks like a placeholder.
    if (!mayHold(event.input)) return event;
    const isOwnFileTool = FILE_TOOLS.has(event.tool) && event.origin === undefined;
    const files = isOwnFileTool ? await contentsOf(event.touches) : [];
    // What a session before this one masked is known again once the file has been looked at.
    for (const content of files) if (content !== undefined) this.#masker.maskText(content);
    const used = textsOf(event.input).flatMap((text) => this.#masker.placeholdersIn(text));
    if (used.length === 0) return event;
    const allowed = new Set(
      used.filter((hit) => isIn(files, hit.secret) || this.#isRuled(event, hit)).map(({ secret }) => secret),
    );
    const left = used.filter(({ secret }) => !allowed.has(secret));
    // A file must not get the placeholder either: the next reader would take it for the value.
    if (left.length > 0 && writesFiles(event.touches))
      return { ...event, problem: refusal(left.map(({ placeholder }) => placeholder)) };
    if (allowed.size === 0) return event;
    const input = Object.fromEntries(
      Object.entries(event.input).map(([key, value]) => [
        key,
        NAMES.has(key) ? value : this.#masker.restore(value, (secret) => allowed.has(secret)),
      ]),
    );
    return { ...event, input };
  }

  /** The placeholders in a call that stayed what they are. */
  leftIn(input: unknown): string[] {
    if (!mayHold(input)) return [];
    const hits = textsOf(input).flatMap((text) => this.#masker.placeholdersIn(text));
    return [...new Set(hits.map(({ placeholder }) => placeholder))];
  }

  #isRuled(event: ToolInputEvent, hit: KnownPlaceholder): boolean {
    const places = this.#rules.filter(({ match }) => matches(match, hit.secret)).flatMap(({ restore = [] }) => restore);
    return places.some((place) => place.tool === event.tool && isPlace(place, event, hit.placeholder));
  }
}

function matches(match: string | RegExp, secret: string): boolean {
  if (typeof match === 'string') return match === secret;
  return secret.replace(new RegExp(match.source, match.flags), '') === '';
}

/** All hosts must be named, and a command must be the named one to the letter: anything more could carry the secret away. */
function isPlace({ hosts, command }: RestorePlace, { touches, origin }: ToolInputEvent, placeholder: string): boolean {
  // A tool from outside says nothing about what it touches: the user trusts it with the value, or does not.
  if (hosts === undefined && command === undefined) return origin === 'mcp-server' || origin === 'extension';
  if (touches.anything === true) return false;
  const commands = touches.commands ?? [];
  if (command !== undefined)
    return (
      commands.length > 0 && commands.every(({ text }) => text.trim() === command.replaceAll('{secret}', placeholder))
    );
  const called = touches.hosts ?? [];
  if (commands.length > 0 || called.length === 0) return false;
  return called.every((address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    // The value goes into a header or a body, which only an encrypted connection keeps.
    const isSecure = url?.protocol === 'https:' && !address.includes(placeholder);
    return isSecure && hosts?.includes(url.hostname) === true;
  });
}

function writesFiles({ writes, commands, anything }: Touches): boolean {
  return writes !== undefined && anything !== true && (commands ?? []).length === 0;
}

function refusal(placeholders: readonly string[]): string {
  const names = [...new Set(placeholders)].join(', ');
  return [
    `${names} stands for a secret that you cannot see, and the file does not hold that secret, so it is not written there.`,
    'Leave that line as it is, refer to the secret by the name of an environment variable,',
    'or ask the user to put it into the file.',
  ].join(' ');
}

/** True when every file holds it, byte for byte. */
function isIn(files: readonly (string | undefined)[], secret: string): boolean {
  return files.length > 0 && files.every((content) => content?.includes(secret) === true);
}

/** What is in the files that a call writes; undefined for one that does not exist or is too large to look through. */
async function contentsOf({ writes = [], anything }: Touches): Promise<(string | undefined)[]> {
  if (anything === true) return [];
  return Promise.all(writes.map(contentOf));
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= MAX_FILE_BYTES ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined; // What cannot be read holds no secret that could be put back; the tool itself says what is wrong.
  }
}

function mayHold(value: unknown): boolean {
  return textsOf(value).some((text) => /#[A-Z0-9]{4}#/.test(text));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
