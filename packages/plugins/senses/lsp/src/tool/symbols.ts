/** The symbols of a file or of the whole workspace. */
import { messageOf } from '@tenon/kernel';
import { displayPath } from '@tenon/tools/api';
import { counted, cutText, plainLine } from '@tenon/wording';
import { errors } from '../errors.ts';
import { pathOfUri, uriOfPath } from '../uris.ts';
import {
  type ActionResult,
  fileOf,
  freshServer,
  isWorkspaceWide,
  type LspCall,
  need,
  waitForProject,
} from './call-context.ts';
import { openFirstFile } from './first-file.ts';
import { locationsOf } from './locations.ts';

const SHOWN_SYMBOLS = 200;
const MAX_SYMBOLS = 10_000;
const MAX_DEPTH = 20;
const KINDS = [
  '',
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter',
];

interface Symbol {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly detail?: unknown;
  readonly containerName?: unknown;
  readonly range?: { readonly start?: { readonly line?: unknown } };
  readonly selectionRange?: { readonly start?: { readonly line?: unknown; readonly character?: unknown } };
  readonly children?: unknown;
  readonly location?: { readonly uri?: unknown; readonly range?: unknown };
}

/** `symbols` */
export function symbols(call: LspCall): Promise<ActionResult> {
  return isWorkspaceWide(call.input) ? workspaceSymbols(call) : documentSymbols(call);
}

async function documentSymbols(call: LspCall): Promise<ActionResult> {
  const { desk, place, signal } = call;
  const path = await fileOf(call);
  const shown = displayPath(place.cwd, path);
  const server = await freshServer(call, await desk.primary(path, place, shown));
  if (!server.can('documentSymbolProvider'))
    throw errors.create('LSP_UNSUPPORTED', { server: server.name, what: 'symbols' });
  await server.openFile(path);
  await waitForProject(server, signal);
  const answer = await server.request(
    'textDocument/documentSymbol',
    { textDocument: { uri: uriOfPath(path) } },
    signal,
  );
  const rows = rowsOf(answer, 0);
  if (rows.length === 0) return { text: `No symbols in ${shown}`, server: server.name, details: { count: 0 } };
  const text = [`Symbols in ${shown}:`, ...rows].join('\n');
  return { text, server: server.name, details: { count: rows.length } };
}

function rowsOf(list: unknown, depth: number): string[] {
  if (!Array.isArray(list) || depth > MAX_DEPTH) return [];
  return list.slice(0, MAX_SYMBOLS).flatMap((symbol: Symbol | null) => {
    const [location] = locationsOf(symbol?.location);
    const line = symbol?.selectionRange?.start?.line ?? symbol?.range?.start?.line ?? location?.line;
    if (typeof symbol?.name !== 'string' || typeof line !== 'number') return [];
    const detail =
      typeof symbol.detail === 'string' && symbol.detail !== '' ? ` ${plainLine(cutText(symbol.detail, 120))}` : '';
    const row = `${'  '.repeat(depth)}${kindText(symbol.kind)}${plainLine(symbol.name)}${detail} @ line ${line + 1}`;
    return [row, ...rowsOf(symbol.children, depth + 1)];
  });
}

async function workspaceSymbols(call: LspCall): Promise<ActionResult> {
  const { desk, place, signal, input } = call;
  const query = need(input, 'query', ', a part of a name');
  const servers = (await desk.forFolder(place)).filter(({ data }) => !data.linter);
  if (servers.length === 0)
    throw errors.create('LSP_NO_SERVER', {
      what: 'this workspace',
      tried: ' Name a `file` to say which language is meant.',
    });
  const [found, problems, seen] = [[] as string[], [] as string[], new Set<string>()];
  for (const fitting of servers) {
    try {
      const server = await freshServer(call, fitting);
      if (!server.can('workspaceSymbolProvider')) continue;
      await openFirstFile(server, signal);
      await waitForProject(server, signal);
      const answer = await server.request('workspace/symbol', { query }, signal);
      for (const symbol of Array.isArray(answer) ? (answer.slice(0, MAX_SYMBOLS) as Symbol[]) : [])
        addRow(symbol, query, place.cwd, seen, found);
    } catch (fault) {
      call.signal.throwIfAborted();
      problems.push(`${fitting.name}: ${messageOf(fault)}`);
    }
  }
  const notes = problems.map((problem) => `[${plainLine(problem)}]`);
  if (found.length === 0) {
    const text = [`No symbol matches "${query}"`, ...notes].join('\n');
    return { text, details: { count: 0 } };
  }
  const more = found.length - SHOWN_SYMBOLS;
  const text = [
    `Found ${counted(found.length, 'symbol')} matching "${query}":`,
    ...found.slice(0, SHOWN_SYMBOLS),
    ...(more > 0 ? [`… ${more} more; make the query longer`] : []),
    ...notes,
  ].join('\n');
  return { text, details: { count: found.length } };
}

/** Servers also give names that are only similar; those without the query's letters in order are left out. */
function addRow(symbol: Symbol | null, query: string, cwd: string, seen: Set<string>, found: string[]): void {
  if (typeof symbol?.name !== 'string' || !isSubsequence(query.toLowerCase(), symbol.name.toLowerCase())) return;
  const uri = symbol.location?.uri;
  const [location] = locationsOf(symbol.location);
  const path = location?.path ?? (typeof uri === 'string' ? pathOfUri(uri) : undefined);
  if (path === undefined) return;
  const at = location ? `:${location.line + 1}:${location.character + 1}` : '';
  const row = `${kindText(symbol.kind)}${plainLine(symbol.name)} @ ${plainLine(displayPath(cwd, path))}${at}`;
  if (seen.has(row)) return;
  seen.add(row);
  found.push(row);
}

function isSubsequence(wanted: string, text: string): boolean {
  let at = -1;
  return [...wanted].every((sign) => (at = text.indexOf(sign, at + 1)) >= 0);
}

function kindText(kind: unknown): string {
  const name = typeof kind === 'number' ? KINDS[kind] : undefined;
  return name ? `${name} ` : '';
}
