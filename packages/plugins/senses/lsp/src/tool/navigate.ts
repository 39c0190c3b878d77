/** Where something is defined, implemented and used, and what it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { counted, plainText } from '@tenon/wording';
import type { ServerCapabilities } from 'vscode-languageserver-protocol';
import { errors } from '../errors.ts';
import { type ActionResult, type LspCall, type OpenPlace, openPlace, waitForProject } from './call-context.ts';
import { locationRows, locationsOf, WITH_CONTEXT } from './locations.ts';

interface Jump {
  readonly method: string;
  readonly capability: keyof ServerCapabilities;
  readonly noun: string;
}

/** The actions that lead from a name to another place. */
export const JUMPS: Readonly<Record<string, Jump>> = {
  definition: { method: 'textDocument/definition', capability: 'definitionProvider', noun: 'definition' },
  type_definition: {
    method: 'textDocument/typeDefinition',
    capability: 'typeDefinitionProvider',
    noun: 'type definition',
  },
  implementation: {
    method: 'textDocument/implementation',
    capability: 'implementationProvider',
    noun: 'implementation',
  },
};

/** How often references are asked for again while a server has seen nothing but the declaration. */
const RETRIES = 2;
const RETRY_MS = 250;

/** `definition`, `type_definition` and `implementation` */
export async function jump(call: LspCall, { method, capability, noun }: Jump): Promise<ActionResult> {
  const open = await openPlace(call);
  const { server, params } = open;
  mustBeAble(open, capability, noun);
  await waitForProject(server, call.signal);
  const found = locationsOf(await server.request(method, params, call.signal));
  if (found.length === 0) return { text: `No ${noun} found`, server: server.name, details: { count: 0 } };
  const rows = await locationRows(found, call.place.cwd);
  const text = [`Found ${counted(found.length, noun)}:`, ...rows].join('\n');
  return { text, server: server.name, details: { count: found.length, locations: found.slice(0, WITH_CONTEXT) } };
}

/** `references` */
export async function references(call: LspCall): Promise<ActionResult> {
  const open = await openPlace(call);
  const { server, params, path } = open;
  mustBeAble(open, 'referencesProvider', 'references');
  await waitForProject(server, call.signal);
  const ask = async () => {
    const context = { includeDeclaration: true };
    return locationsOf(await server.request('textDocument/references', { ...params, context }, call.signal));
  };
  let found = await ask();
  for (let retry = 0; retry < RETRIES && server.progress.isBusy; retry++) {
    const isOnlyItself = found.every((one) => one.path === path && one.line === params.position.line);
    if (!isOnlyItself) break;
    await sleep(RETRY_MS, undefined, { signal: call.signal });
    await waitForProject(server, call.signal);
    found = await ask();
  }
  if (found.length === 0) return { text: 'No references found', server: server.name, details: { count: 0 } };
  const rows = await locationRows(found, call.place.cwd);
  const more = found.length - WITH_CONTEXT;
  const files = new Set(found.map((one) => one.path)).size;
  const text = [
    `Found ${counted(found.length, 'reference')} in ${counted(files, 'file')}:`,
    ...rows,
    ...(more > 0 ? [`… ${more} additional reference(s) shown without context`] : []),
  ].join('\n');
  const details = { count: found.length, files, locations: found.slice(0, WITH_CONTEXT) };
  return { text, server: server.name, details };
}

/** `hover` */
export async function hover(call: LspCall): Promise<ActionResult> {
  const open = await openPlace(call);
  const { server, params } = open;
  mustBeAble(open, 'hoverProvider', 'hover');
  await waitForProject(server, call.signal);
  const answer = (await server.request('textDocument/hover', params, call.signal)) as { contents?: unknown } | null;
  const text = hoverText(answer?.contents).trim();
  return { text: text === '' ? 'No hover information' : text, server: server.name };
}

function mustBeAble({ server }: OpenPlace, capability: keyof ServerCapabilities, what: string): void {
  if (!server.can(capability)) throw errors.create('LSP_UNSUPPORTED', { server: server.name, what });
}

/** Plain text of what a hover may be: a text, a text with its language, or a list of them. */
export function hoverText(contents: unknown): string {
  if (typeof contents === 'string') return plainText(contents);
  if (Array.isArray(contents)) return contents.slice(0, 100).map(hoverText).filter(Boolean).join('\n\n');
  const { value, language } = (contents ?? {}) as { value?: unknown; language?: unknown };
  if (typeof value !== 'string') return '';
  return typeof language === 'string' ? `\`\`\`${plainText(language)}\n${plainText(value)}\n\`\`\`` : plainText(value);
}
