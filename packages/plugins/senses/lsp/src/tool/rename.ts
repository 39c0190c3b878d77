/** Renames symbols and files, with everything that refers to them. */
import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { displayPath, resolvePath } from '@tenon/tools/api';
import { counted, plainLine } from '@tenon/wording';
import { type EditPlace, filesBelow, planMove, planWorkspaceEdit } from '../edits/workspace-edit.ts';
import { errors } from '../errors.ts';
import type { LanguageServer } from '../servers/language-server.ts';
import { uriOfPath } from '../uris.ts';
import { offerPlan } from './apply-plan.ts';
import { type ActionResult, freshServer, type LspCall, need, openPlace, waitForProject } from './call-context.ts';

/** `rename` */
export async function rename(call: LspCall): Promise<ActionResult> {
  const newName = need(call.input, 'new_name');
  const { server, params } = await openPlace(call);
  if (!server.can('renameProvider')) throw errors.create('LSP_UNSUPPORTED', { server: server.name, what: 'rename' });
  await waitForProject(server, call.signal);
  const edit = await server.request('textDocument/rename', { ...params, newName }, call.signal);
  const plan = await planWorkspaceEdit(edit, editPlace(call, server));
  const what = call.input.symbol?.replace(/#\d+$/, '') ?? `the name at line ${call.input.line ?? 1}`;
  return offerPlan(call, plan, { label: `Rename ${what} to ${newName}`, server: server.name });
}

/** `rename_file` */
export async function renameFile(call: LspCall): Promise<ActionResult> {
  const { input, place, desk, signal } = call;
  const from = resolvePath(place.cwd, need(input, 'file'));
  const to = resolvePath(place.cwd, need(input, 'new_name', ', the path that it gets'));
  const isFolder = await checkPaths(call, from, to);
  const pairs = (isFolder ? await filesBelow(from) : [from]).map((path) => ({
    oldUri: uriOfPath(path),
    newUri: uriOfPath(isFolder ? join(to, relative(from, path)) : to),
  }));
  if (pairs.length === 0) throw refused(call, from, to, 'the folder holds no file');
  const inner = isFolder ? [] : await desk.forFile(from, place);
  const fitting = [...inner, ...(await desk.forFolder(place))].filter(({ data }) => !data.linter);
  const servers = new Map(fitting.map((one) => [`${one.name} ${one.root}`, one]));
  const [edits, notes, told] = [[] as unknown[], [] as string[], [] as LanguageServer[]];
  for (const one of servers.values()) {
    try {
      const server = await freshServer(call, one);
      if (!server.capabilities.workspace?.fileOperations?.willRename) continue;
      if (!isFolder) await server.openFile(from);
      await waitForProject(server, signal);
      edits.push(await server.request('workspace/willRenameFiles', { files: pairs }, signal));
      told.push(server);
    } catch (fault) {
      signal.throwIfAborted();
      notes.push(`[${plainLine(messageOf(fault))}]`);
    }
  }
  if (told.length === 0 && notes.length === 0)
    notes.push('[No language server says what refers to it: look for the old name with search.]');
  const first = told[0];
  const plan = await planMove(from, to, edits, {
    ...editPlace(call, first),
    server: first?.name ?? 'of this project',
  });
  const files = isFolder ? ` (${counted(pairs.length, 'file')})` : '';
  const label = `Rename ${displayPath(place.cwd, from)}${files} to ${displayPath(place.cwd, to)}`;
  return offerPlan(call, plan, {
    label,
    server: first?.name ?? '',
    notes,
    done() {
      for (const server of told) server.notify('workspace/didRenameFiles', { files: pairs });
    },
  });
}

/** Whether the source is a folder; throws when it cannot be renamed to the target. */
async function checkPaths(call: LspCall, from: string, to: string): Promise<boolean> {
  const source = await lstat(from).catch(() => undefined); // Missing or not for us: it cannot be renamed.
  if (!source) throw errors.create('LSP_FILE_MISSING', { path: displayPath(call.place.cwd, from) });
  if (from === to) throw refused(call, from, to, 'it is the same');
  if (
    await lstat(to).then(
      () => true,
      () => false,
    )
  )
    throw refused(call, from, to, 'something is there already'); // Not there is what is wanted.
  if (!source.isFile() && !source.isDirectory()) throw refused(call, from, to, 'it is neither a file nor a folder');
  if (source.isDirectory() && isInside(to, from)) throw refused(call, from, to, 'a folder cannot be moved into itself');
  return source.isDirectory();
}

function refused({ place }: LspCall, from: string, to: string, reason: string): Error {
  const [path, target] = [displayPath(place.cwd, from), displayPath(place.cwd, to)];
  return errors.create('LSP_DESTINATION', { path, target, reason });
}

/** What an edit of a server may change: the workspace, as the server saw it. */
export function editPlace({ place }: LspCall, server: LanguageServer | undefined): EditPlace {
  return {
    server: server?.name ?? '',
    workspace: [place.top],
    versionOf: (path) => server?.versionOf(path),
  };
}
