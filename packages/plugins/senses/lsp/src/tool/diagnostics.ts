/** What servers and checkers say about a file, some files, or the whole project. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { displayPath, resolvePath } from '@tenon/tools/api';
import { plainLine } from '@tenon/wording';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { errors } from '../errors.ts';
import type { AvailableServer } from '../servers/desk.ts';
import { type ActionResult, fileOf, freshServer, type LspCall, need, secondsOf } from './call-context.ts';
import { diagnosticRow, notable, SHOWN_MESSAGES, summaryOf } from './diagnostic-text.ts';
import { diagnoseFile } from './diagnose-file.ts';
import { checkProject } from './project-check.ts';

const MAX_GLOB_FILES = 20;
const SAY_SO_MS = 500;

/** What is known about one file. */
interface FileReport {
  readonly path: string;
  readonly items: readonly Diagnostic[];
  readonly servers: readonly string[];
  /** False when no server has answered: then nothing is known, and nothing is said to be right. */
  readonly isKnown: boolean;
  readonly notes: readonly string[];
  readonly fault: Error | undefined;
}

/** `diagnostics` */
export async function diagnostics(call: LspCall): Promise<ActionResult> {
  const file = need(call.input, 'file', ': a path, a glob, or `*` for the whole project');
  if (file === '*') return checkProject(call);
  if (!/[*?[{]/.test(file)) return oneFile(call);
  return someFiles(call, file);
}

async function oneFile(call: LspCall): Promise<ActionResult> {
  const path = await fileOf(call);
  const servers = await call.desk.forFile(path, call.place);
  if (servers.length === 0) throw await call.desk.missing(path, call.place, displayPath(call.place.cwd, path));
  const report = await reportOf(call, path, servers);
  // Where several servers were asked, what the others say counts; where all have failed, the first failure does.
  if (report.servers.length === 0 && report.fault) throw report.fault;
  const shown = rowsOf(report, call);
  const text =
    report.items.length === 0 ? [headOf(report), ...notesOf(report)] : [`${summaryOf(report.items)}:`, ...shown];
  return { text: text.join('\n'), server: report.servers.join(', '), details: detailsOf([report], call) };
}

function file({ place }: LspCall, path: string): string {
  return displayPath(place.cwd, path);
}

async function someFiles(call: LspCall, glob: string): Promise<ActionResult> {
  const { paths, isCut } = await filesOf(call, glob);
  if (paths.length === 0) throw errors.create('LSP_GLOB_EMPTY', { glob });
  const reports: FileReport[] = [];
  for (const path of paths) {
    const servers = await call.desk.forFile(path, call.place);
    if (servers.length > 0) reports.push(await reportOf(call, path, servers));
  }
  if (reports.length === 0) throw await call.desk.missing(paths[0] ?? '', call.place, glob);
  const blocks = reports.map((report) => {
    return [
      `${file(call, report.path)}: ${headOf(report)}`,
      ...(report.items.length === 0 ? notesOf(report) : rowsOf(report, call)),
    ];
  });
  const cut = isCut ? [`[More files match; only the first ${MAX_GLOB_FILES} were looked at.]`] : [];
  const text = [...cut, ...blocks.flat()].join('\n');
  return { text, details: detailsOf(reports, call) };
}

function headOf({ items, isKnown }: FileReport): string {
  if (items.length > 0) return summaryOf(items);
  return isKnown ? 'OK' : 'Nothing is known about it yet. Call again, with a longer `timeout` (up to 60).';
}

async function filesOf({ place, signal }: LspCall, glob: string): Promise<{ paths: string[]; isCut: boolean }> {
  const { loadAccelerator } = await import('@tenon/native');
  const scan = await loadAccelerator('scan');
  const [folder, pattern] = splitGlob(resolvePath(place.cwd, glob));
  const { matches, total } = await scan.glob({ path: folder, pattern, limit: MAX_GLOB_FILES, signal });
  const paths = await Promise.all(matches.map(({ path }) => realpath(resolve(folder, path))));
  return { paths, isCut: total > matches.length };
}

/** The folder before the first part with a sign of a pattern, and the rest. */
function splitGlob(path: string): [folder: string, pattern: string] {
  const parts = path.split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  return [parts.slice(0, first).join('/') || '/', parts.slice(first).join('/')];
}

async function reportOf(call: LspCall, path: string, servers: readonly AvailableServer[]): Promise<FileReport> {
  const [items, names, notes] = [[] as Diagnostic[], [] as string[], [] as string[]];
  let failure: Error | undefined;
  let isKnown = false;
  // As long as the caller waits, but not so long that there is no time left to say so.
  const firstWaitMs = secondsOf(call.input) * 1000 - SAY_SO_MS;
  const look = async (fitting: AvailableServer) => {
    try {
      const server = await freshServer(call, fitting);
      const found = await server.using(() => diagnoseFile(server, path, call.signal, firstWaitMs));
      names.push(fitting.name);
      isKnown ||= found !== undefined;
      if (found) items.push(...found);
      else notes.push(`${fitting.name} has not answered in time; what it says is missing.`);
    } catch (fault) {
      call.signal.throwIfAborted();
      if (fault instanceof Error) failure ??= fault;
      notes.push(plainLine(messageOf(fault)));
    }
  };
  await Promise.all(servers.map(look));
  return { path, items: notable(items), servers: names, isKnown, notes, fault: failure };
}

function rowsOf(report: FileReport, { place }: LspCall): string[] {
  const rows = report.items.slice(0, SHOWN_MESSAGES).map((item) => diagnosticRow(item, report.path, place.cwd));
  const more = report.items.length - SHOWN_MESSAGES;
  return [...rows, ...(more > 0 ? [`… ${more} more`] : []), ...notesOf(report)];
}

function notesOf({ notes }: FileReport): string[] {
  return notes.map((note) => `[${note}]`);
}

function detailsOf(reports: readonly FileReport[], { place }: LspCall): Readonly<Record<string, unknown>> {
  return {
    files: reports.map(({ path, items, servers }) => ({
      path: displayPath(place.cwd, path),
      servers,
      errors: items.filter(({ severity = 1 }) => severity === 1).length,
      warnings: items.filter(({ severity }) => severity === 2).length,
    })),
  };
}
