/** What a server offers to do at a place: fixes, refactorings. */
import { counted, plainLine } from '@tenon/wording';
import { planWorkspaceEdit } from '../edits/workspace-edit.ts';
import { errors } from '../errors.ts';
import type { LanguageServer } from '../servers/language-server.ts';
import { uriOfPath } from '../uris.ts';
import { offerPlan } from './apply-plan.ts';
import { type ActionResult, type LspCall, type OpenPlace, openPlace, waitForProject } from './call-context.ts';
import { diagnoseFile } from './diagnose-file.ts';
import { editPlace } from './rename.ts';

const SHOWN_ACTIONS = 100;

interface CodeAction {
  readonly title: string;
  readonly kind?: unknown;
  readonly edit?: unknown;
  readonly command?: unknown;
  readonly disabled?: { readonly reason?: unknown };
  readonly data?: unknown;
}

/** `code_actions`: lists what is offered; with `query` as a number or title, previews or applies one. */
export async function codeActions(call: LspCall): Promise<ActionResult> {
  const { input, signal } = call;
  const open = await openPlace(call);
  const { server } = open;
  if (!server.can('codeActionProvider'))
    throw errors.create('LSP_UNSUPPORTED', { server: server.name, what: 'code actions' });
  await waitForProject(server, signal);
  const isKind =
    input.apply === undefined && input.query !== undefined && /^(?:quickfix|refactor|source)(?:\.|$)/.test(input.query);
  const actions = await ask(call, open, isKind ? input.query : undefined);
  if (input.query === undefined || isKind) return listed(actions, server);
  const chosen = choose(actions, input.query);
  const { edits, notes } = await editsOf(chosen, server, input.apply === true, signal);
  if (edits.length === 0 && notes.length === 0)
    return {
      text: `Action "${plainLine(chosen.title)}" has no workspace edit or command to apply`,
      server: server.name,
    };
  const documentChanges = edits.flatMap(operations);
  const plan = await planWorkspaceEdit({ documentChanges }, editPlace(call, server));
  return offerPlan(call, plan, { label: plainLine(chosen.title), server: server.name, notes });
}

/** `changes` and `documentChanges` in one form, so that several edits can follow each other. */
function operations(edit: unknown): unknown[] {
  const { changes, documentChanges } = (edit ?? {}) as { changes?: unknown; documentChanges?: unknown };
  if (Array.isArray(documentChanges)) return documentChanges;
  return Object.entries((changes ?? {}) as Record<string, unknown>).map(([uri, edits]) => ({
    textDocument: { uri, version: null },
    edits,
  }));
}

async function ask(
  call: LspCall,
  { server, path, document, params }: OpenPlace,
  kind: string | undefined,
): Promise<CodeAction[]> {
  const { input, signal } = call;
  const { line } = params.position;
  const all = await diagnoseFile(server, path, signal);
  const here = (all ?? []).filter(({ range }) => range.start.line <= line && range.end.line >= line);
  // Without a symbol the whole line is meant: fixes belong to where the problem is, not to where the line begins.
  const whole = { start: { line, character: 0 }, end: { line, character: document.line(line)?.length ?? 0 } };
  const range = input.symbol === undefined ? whole : { start: params.position, end: params.position };
  const context = { diagnostics: here, triggerKind: 1, ...(kind !== undefined && { only: [kind] }) };
  const request = { textDocument: { uri: uriOfPath(path) }, range, context };
  const answer = await server.request('textDocument/codeAction', request, signal);
  const list = Array.isArray(answer) ? (answer as Partial<CodeAction>[]) : [];
  return list
    .slice(0, SHOWN_ACTIONS)
    .filter((one): one is CodeAction => typeof one?.title === 'string' && !one.disabled);
}

function listed(actions: readonly CodeAction[], { name }: LanguageServer): ActionResult {
  if (actions.length === 0) return { text: 'No code actions', server: name, details: { count: 0 } };
  const text = [`${counted(actions.length, 'code action')}:`, ...actions.map(row)].join('\n');
  return { text, server: name, details: { count: actions.length } };
}

function row({ title, kind }: CodeAction, index: number): string {
  return `${index}: ${typeof kind === 'string' ? `[${plainLine(kind)}] ` : ''}${plainLine(title)}`;
}

function choose(actions: readonly CodeAction[], query: string): CodeAction {
  const wanted = query.trim().toLowerCase();
  const numbered = /^\d+$/.test(wanted) ? actions[Number(wanted)] : undefined;
  const chosen = numbered ?? actions.find(({ title }) => title.toLowerCase().includes(wanted));
  if (chosen) return chosen;
  const available = actions.length > 0 ? actions.map(row).join('; ') : 'none';
  throw errors.create('LSP_NO_ACTION', { query, available });
}

/** The edits of an action, those of its command included. Commands run in the server's sandbox and change nothing themselves. */
async function editsOf(
  action: CodeAction,
  server: LanguageServer,
  isApproved: boolean,
  signal: AbortSignal,
): Promise<{ edits: readonly unknown[]; notes: readonly string[] }> {
  const full = await resolved(action, server, signal);
  const isBare = typeof full.command === 'string';
  const command = (isBare ? full : full.command) as { command?: unknown; arguments?: unknown } | undefined;
  const own = full.edit ? [full.edit] : [];
  if (typeof command?.command !== 'string') return { edits: own, notes: [] };
  // Without a sandbox the command itself could change files, which nobody has approved yet.
  if (!isApproved && !server.process.isConfined)
    throw errors.create('LSP_COMMAND', { server: server.name, title: plainLine(action.title) });
  const params = { command: command.command, arguments: command.arguments };
  const { edits } = await server.collectEdits(() => server.request('workspace/executeCommand', params, signal));
  return { edits: [...own, ...edits], notes: [`[The server ran its command ${plainLine(command.command)}.]`] };
}

/** A server that cannot fill an action in has given all of it. */
async function resolved(action: CodeAction, server: LanguageServer, signal: AbortSignal): Promise<CodeAction> {
  const { codeActionProvider } = server.capabilities;
  const canResolve = typeof codeActionProvider === 'object' && codeActionProvider.resolveProvider === true;
  if (action.edit || !canResolve || typeof action.command === 'string') return action;
  try {
    const answer = (await server.request('codeAction/resolve', action, signal)) as Partial<CodeAction> | null;
    return { ...action, ...answer, title: action.title };
  } catch (fault) {
    signal.throwIfAborted();
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'LSP_REFUSED')) throw fault;
    return action;
  }
}
