/** Edits of a server: shown, put before `resolve`, or carried out. */
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isBelow } from '@tenon/host';
import { Type } from '@tenon/kernel';
import { displayPath, fitLines, textResult, type Tool } from '@tenon/tools/api';
import { counted, cutText, plainLine, plainText } from '@tenon/wording';
import { changesOf, type EditPlan, type PlannedFile } from '../edits/workspace-edit.ts';
import { errors } from '../errors.ts';
import { TextDocument } from '../text-document.ts';
import type { ActionResult, LspCall } from './call-context.ts';

/** What is to be done, in words. */
export interface Intent {
  /** `Rename a to b` */
  readonly label: string;
  readonly server: string;
  readonly notes?: readonly string[];
  /** Called once everything is written. */
  done?(): void | Promise<void>;
}

/** The session of calls that belong to none. */
const BY_HAND = 'by-hand';
const SHOWN_CHANGES = 20;
const LINE_CHARS = 160;

/** Carries a plan out when `apply` is true, shows it when it is false, and otherwise shows it and lets `resolve` decide. */
export async function offerPlan(call: LspCall, plan: EditPlan, intent: Intent): Promise<ActionResult> {
  const { input, scope, place, host } = call;
  const { server, notes = [] } = intent;
  const label = plainLine(intent.label);
  const amount = `${counted(plan.edits, 'edit')} in ${counted(plan.files.length, 'file')}`;
  const files = plan.files.map(({ path }) => displayPath(place.cwd, path));
  const details = { edits: plan.edits, files };
  if (plan.files.length === 0) return { text: [`${label}: nothing to change`, ...notes].join('\n'), server, details };
  const apply = async () => {
    await (await host.changes()).apply(scope.session, changesOf(plan));
    await removeEmptied(plan, place.top);
    for (const open of call.desk.pool.all()) {
      open.filesChanged(plan.files.map(({ path, before, after }) => ({ path, type: typeOf(before, after) })));
      await open.refresh();
    }
    await intent.done?.();
  };
  if (input.apply === true) {
    await applyIfAllowed(call, plan, { label, apply });
    const rows = fitLines([`Applied: ${label} (${amount})`, ...files.map((file) => `  ${file}`), ...notes]).lines;
    return { text: rows.join('\n'), server, details: { ...details, applied: true } };
  }
  // By hand there is nobody to call `resolve`: the preview would be gone with the process.
  const isByHand = scope.session === BY_HAND;
  const pending = input.apply === false || isByHand ? undefined : await host.pending();
  await pending?.push(scope.session, {
    label: `${label} (${amount})`,
    sourceToolName: 'lsp',
    writes: plan.files.map(({ path }) => path),
    apply: async () => {
      await apply();
      return textResult(`Applied: ${label} (${amount}).`, { ...details, applied: true });
    },
  });
  const rows = plan.files.flatMap((file) => previewOf(file, place.cwd));
  const fitted = fitLines([`${label} (${amount}):`, ...rows]);
  const text = [
    ...fitted.lines,
    ...(fitted.isCut ? ['[Not all changes are shown; all of them are part of this preview.]'] : []),
    ...notes,
    '',
    pending
      ? 'This is a preview. Call the resolve tool to apply or discard these changes.'
      : 'This is a preview; nothing was changed. `apply: true` carries it out.',
  ];
  return { text: text.join('\n'), server, details: { ...details, applied: false } };
}

/**
 * Which files change is known only now, so only now the gate can say whether they may: protected places, rules of the user and
 * planning hold for what a server wants to be written as for every other change.
 */
async function applyIfAllowed(
  { host, input, callId, scope, signal }: LspCall,
  { files }: EditPlan,
  { label, apply }: { readonly label: string; apply(): Promise<void> },
): Promise<void> {
  const writes = files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
  let fault: unknown;
  const change: Tool = {
    description: label,
    parameters: Type.Object({}),
    touches: () => ({ writes }),
    async execute() {
      try {
        await apply();
      } catch (thrown) {
        fault = thrown;
      }
      return textResult(label);
    },
  };
  const runner = await host.runner();
  const { isError, content } = await runner.run(
    'lsp',
    { ...input },
    {
      tool: change,
      risk: 'write',
      signal,
      // So that what it changed is found, and undone, with the model's call. A code action was judged under that id already.
      ...(input.action !== 'code_actions' && { callId }),
      ...(scope.session !== BY_HAND && { scope }),
    },
  );
  if (fault !== undefined) throw fault;
  if (!isError) return;
  const reason = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  throw errors.create('LSP_NOT_APPLIED', { label, reason });
}

function typeOf(before: Buffer | undefined, after: Buffer | undefined): 1 | 2 | 3 {
  if (after === undefined) return 3;
  return before === undefined ? 1 : 2;
}

/** Folders that a move has emptied go, as they would if the folder itself had been moved. */
async function removeEmptied({ files }: EditPlan, top: string): Promise<void> {
  const folders = new Set(files.filter(({ after }) => after === undefined).map(({ path }) => dirname(path)));
  for (const start of [...folders].sort((a, b) => b.length - a.length)) {
    for (let folder = start; isBelow(folder, top); folder = dirname(folder)) {
      const isGone = await rmdir(folder).then(
        () => true,
        () => false, // Not empty: it stays, and so do those above it.
      );
      if (!isGone) break;
    }
  }
}

/** The lines of a file that change, without those around them. */
function previewOf({ path, before, after, from }: PlannedFile, cwd: string): string[] {
  const shown = displayPath(cwd, path);
  if (after === undefined) return [`# ${shown}: deleted`];
  const moved = from === undefined ? '' : `: moved from ${displayPath(cwd, from)}`;
  if (before === undefined) return [`# ${shown}${moved || ': new file'}`];
  const [old, now] = [TextDocument.ofBytes(before), TextDocument.ofBytes(after)];
  const rows = old && now ? changedLines(old, now) : [];
  const more = rows.length - SHOWN_CHANGES * 2;
  return [`# ${shown}`, ...rows.slice(0, SHOWN_CHANGES * 2), ...(more > 0 ? [`… ${counted(more, 'more line')}`] : [])];
}

function changedLines(old: TextDocument, now: TextDocument): string[] {
  const [before, after] = [linesOf(old), linesOf(now)];
  if (before.length === after.length)
    return before.flatMap((line, index) =>
      line === after[index] ? [] : [row('-', index, line), row('+', index, after[index] ?? '')],
    );
  let [start, end] = [0, 0];
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...before.slice(start, before.length - end).map((line, index) => row('-', start + index, line)),
    ...after.slice(start, after.length - end).map((line, index) => row('+', start + index, line)),
  ];
}

function linesOf(document: TextDocument): string[] {
  return Array.from({ length: document.lineCount }, (_, index) => document.line(index) ?? '');
}

function row(sign: string, index: number, line: string): string {
  return `${sign}${index + 1}|${plainText(cutText(line, LINE_CHARS))}`;
}
