/** What an edit would do, while its arguments are still being written. */
import { type Registry, TenonError } from '@tenon/kernel';
import type { EditMode, EditPreview, PlannedEdit, PreviewedEdit } from '../api.ts';
import { declaredFiles, declareFiles } from './declared-files.ts';
import { createEditCall } from './edit-call.ts';
import { opOf, type EditToolHost, wholeOf } from './edit-tool.ts';
import { findMode } from './edit-tools.ts';
import { readPartialJson } from './partial-json.ts';

/** Makes the service. */
export function createEditPreview(host: EditToolHost & { readonly registry: Registry<EditMode> }): EditPreview {
  return {
    async preview(argumentsSoFar, { session, cwd, mode: name = host.config.edit.mode }) {
      const { value, isComplete } =
        typeof argumentsSoFar === 'string'
          ? readPartialJson(argumentsSoFar)
          : { value: argumentsSoFar, isComplete: false };
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return { files: [] };
      const input = value as Readonly<Record<string, unknown>>;
      try {
        const mode = await findMode(host.registry, name);
        const part = isComplete ? input : await mode.completePart?.(input);
        if (!part) return { files: [] };
        const files = declaredFiles(await declareFiles(mode, part, { cwd }), cwd);
        const unsaved = async (path: string) => host.views.editor?.unsaved(session, path, new AbortController().signal);
        const call = createEditCall(host, { session, cwd, byHand: session === 'by-hand', files, unsaved });
        const { edits } = await mode.plan(part, call);
        return { files: await Promise.all(edits.map((edit) => previewOf(host, edit))) };
      } catch (fault) {
        // An unfinished text is often not unique yet, or not a patch yet; only what a call would answer is told.
        if (!(fault instanceof TenonError)) throw fault;
        return { files: [], problem: fault.message };
      }
    },
  };
}

async function previewOf(host: EditToolHost, { file, after, moveTo }: PlannedEdit): Promise<PreviewedEdit> {
  const { changePreview } = await import('./change-preview.ts');
  const hashline = await host.accelerator('hashline');
  const empty = Buffer.alloc(0);
  const { path: resolvedPath, shownPath: path, content: before } = file;
  const whole = wholeOf(after);
  const { diff, added, removed } = changePreview(hashline, path, before ?? empty, whole ?? empty);
  const op = opOf(before, after, moveTo);
  return { path, resolvedPath, op, before, after: whole, ...(diff !== undefined && { diff }), added, removed };
}
