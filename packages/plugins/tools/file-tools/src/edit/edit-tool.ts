import { realpath } from 'node:fs/promises';
import { TenonError } from '@tenon/kernel';
import { explainFailures, fitLines, scopeOf, textResult, type Tool, type ToolResult } from '@tenon/tools/api';
import type { EditMode, EditPlan, FileChange, PlannedEdit } from '../api.ts';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { saveUnsaved } from '../unsaved.ts';
import { type DeclaredFiles, declaredFiles, declareFiles } from './declared-files.ts';
import { createEditCall, type EditPlace } from './edit-call.ts';
import { storedContent, storedForm } from './notebook-file.ts';

/** What the tool needs. */
export type EditToolHost = Pick<
  FileToolsHost,
  'config' | 'folders' | 'views' | 'changes' | 'written' | 'accelerator' | 'documents'
>;

/** The tool that edits files, in a mode. All files of a call are changed, or none. */
export function createEditTool(host: EditToolHost, mode: EditMode): Tool {
  return explainFailures({
    // Read when a model asks: rendering the texts of all modes at start-up would be wasted.
    get description() {
      return mode.description;
    },
    get parameters() {
      return mode.parameters;
    },
    touches: (input, call) =>
      declareFiles(mode, input, { cwd: scopeOf(call, host.folders).cwd, partial: call.partial ?? false }),
    async execute(input, call) {
      const scope = scopeOf(call, host.folders);
      const touches = call.touches ?? (await declareFiles(mode, input, scope));
      for (const path of touches.writes ?? []) await saveUnsaved(host.views, scope.session, path, call.signal);
      const files = declaredFiles(touches, scope.cwd);
      const place = { ...scope, byHand: call.scope === undefined, files };
      for (let attempt = 1; ; attempt++) {
        try {
          return await editOnce(host, mode, input, { ...place, signal: call.signal });
        } catch (fault) {
          // Another process was faster. What it has made of the file is a drift like any other: the places are proven anew.
          const isRace = fault instanceof TenonError && RACES.has(fault.code);
          if (!isRace || attempt === MAX_ATTEMPTS) throw fault;
        }
      }
    },
  });
}

/** What another process can cause between a plan and its execution. */
const RACES: ReadonlySet<string> = new Set(['FILE_TOOLS_CHANGED_MEANWHILE', 'FILE_TOOLS_EXISTS']);
const MAX_ATTEMPTS = 50;

async function editOnce(
  host: EditToolHost,
  mode: EditMode,
  input: Readonly<Record<string, unknown>>,
  place: EditPlace & { readonly files: DeclaredFiles; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const { session, files } = place;
  const plan = await mode.plan(input, createEditCall(host, place));
  for (const { path } of plan.shown ?? []) files.mayOpen(path);
  for (const { file, moveTo } of plan.edits)
    for (const { path } of moveTo ? [file, moveTo] : [file]) files.mayWrite(path);
  await checkDistinct(plan.edits);
  // From here on the edit is carried out: a half-written set of files helps nobody.
  place.signal.throwIfAborted();
  await host.changes.apply(session, plan.edits.flatMap(changesOf));
  plan.written?.();
  for (const file of plan.shown ?? []) {
    const content = storedContent(file);
    if (content) host.views.record(session, file.path, content);
  }
  const { edits, notices } = await tellWritten(host, plan.edits, place);
  return report(host, { ...plan, edits }, notices);
}

/** Lets others see, and change once more, what was written. */
async function tellWritten(
  host: EditToolHost,
  edits: readonly PlannedEdit[],
  { session, cwd, signal }: EditPlace & { readonly signal: AbortSignal },
): Promise<{ edits: readonly PlannedEdit[]; notices: readonly string[] }> {
  const files = edits.flatMap(changesOf).map(({ path, before, after }) => ({
    path,
    before: before === 'any' ? undefined : before,
    after: wholeOf(after),
  }));
  if (files.length === 0) return { edits, notices: [] };
  const told = await host.written({ session, cwd, files, notices: [] }, signal);
  const final = new Map(told.files.map(({ path, after }) => [path, after]));
  const shown = edits.map((edit): PlannedEdit => {
    const { file, after, moveTo } = edit;
    const now = final.get(moveTo?.path ?? file.path);
    // The cells of a notebook are not what its file holds.
    const isText = after !== undefined && storedForm(file, after) === after;
    return now && isText && !wholeOf(after)?.equals(now) ? { ...edit, after: now } : edit;
  });
  return { edits: shown, notices: told.notices };
}

/** Two plans for one file would overwrite each other, whatever names they use for it. */
async function checkDistinct(edits: readonly PlannedEdit[]): Promise<void> {
  const known = new Set<string>();
  for (const file of edits.flatMap((edit) => (edit.moveTo ? [edit.file, edit.moveTo] : [edit.file]))) {
    const real = await realpath(file.path).catch(() => file.path);
    if (known.has(real)) throw errors.create('FILE_TOOLS_SAME_FILE', { path: file.shownPath });
    known.add(real);
  }
}

function changesOf({ file, after, moveTo }: PlannedEdit): FileChange[] {
  const before = storedContent(file);
  const stored = after === undefined ? undefined : storedForm(file, after);
  if (!moveTo || after === undefined) return [{ path: file.path, before, after: stored }];
  return [
    { path: moveTo.path, before: undefined, after: stored, modeFrom: file.path },
    { path: file.path, before, after: undefined },
  ];
}

async function report(
  host: EditToolHost,
  { edits, rows: extra = [] }: EditPlan,
  notices: readonly string[],
): Promise<ToolResult> {
  const files = await Promise.all(edits.map((edit) => reportFile(host, edit)));
  const warnings = files.flatMap((file) => file.warnings);
  const lines = files.flatMap(({ rows }, index) => (index > 0 ? ['', ...rows] : rows));
  const fitted = fitLines([...lines, ...extra]);
  const text = [
    ...fitted.lines,
    ...(fitted.isCut ? ['[The rest of the changes was made too, but is not shown.]'] : []),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings] : []),
    ...(notices.length > 0 ? ['', ...notices] : []),
  ].join('\n');
  const [only] = files;
  return textResult(
    text,
    files.length === 1 && only ? only.details : { perFileResults: files.map(({ details }) => details) },
  );
}

interface FileReport {
  readonly rows: readonly string[];
  readonly warnings: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

async function reportFile(
  host: EditToolHost,
  { file, after, moveTo, warnings = [] }: PlannedEdit,
): Promise<FileReport> {
  const { changePreview } = await import('./change-preview.ts');
  const hashline = await host.accelerator('hashline');
  const { path, shownPath, content } = file;
  const empty = Buffer.alloc(0);
  const preview = changePreview(hashline, moveTo?.shownPath ?? shownPath, content ?? empty, wholeOf(after) ?? empty);
  const { diff, firstChangedLine } = preview;
  const details = { path: shownPath, resolvedPath: path, op: opOf(content, after, moveTo), diff, firstChangedLine };
  if (after === undefined) return { rows: [`Deleted ${shownPath}`], warnings, details };
  const moved = moveTo ? [`Moved ${shownPath} to ${moveTo.shownPath}`] : [];
  const shown = moveTo?.shownPath ?? shownPath;
  const rows =
    content && preview.rows.length > 0
      ? [...moved, `${shown}:`, ...preview.rows]
      : moveTo
        ? moved
        : [`${content ? 'Updated' : 'Created'} ${shown}`];
  return { rows, warnings, details: moveTo ? { ...details, movedTo: moveTo.shownPath } : details };
}

/** What happens to the file, in one word. */
export function opOf(
  before: Uint8Array | undefined,
  after: PlannedEdit['after'],
  moveTo: PlannedEdit['moveTo'],
): 'create' | 'update' | 'delete' | 'move' {
  if (after === undefined) return 'delete';
  if (moveTo) return 'move';
  return before ? 'update' : 'create';
}

/** The new content in one piece. */
export function wholeOf(after: PlannedEdit['after']): Buffer | undefined {
  if (after === undefined) return undefined;
  return after instanceof Uint8Array ? Buffer.from(after) : Buffer.concat(after);
}
