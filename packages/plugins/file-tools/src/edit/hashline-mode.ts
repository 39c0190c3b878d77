import { Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { ToolScope } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { displayPath, resolvePath } from '../paths.ts';
import { prompts } from '../prompts/index.ts';
import { type EditMode, loadForEdit, type PlannedEdit } from './edit-mode.ts';

/** Edits that name lines by the anchors of read and search. */
export function createHashlineMode(): EditMode {
  return {
    description: prompts.editHashline(),
    parameters: Type.Object(
      { input: Type.String({ description: 'Sections: "@@ PATH", then operations' }) },
      { additionalProperties: false },
    ),
    async plan(input, scope, host) {
      const hashline = await host.accelerator('hashline');
      const patch = hashline.parse(String(input['input']));
      if (!patch.ok) throw errors.create('FILE_TOOLS_PATCH', { reason: patch.message });
      const planned: PlannedEdit[] = [];
      for (const section of patch.sections) {
        const edit = await planSection(hashline, section, scope, host);
        if (planned.some(({ path }) => path === edit.path)) {
          throw errors.create('FILE_TOOLS_SAME_FILE', { path: edit.shownPath });
        }
        // What was odd about the patch as a whole is said once.
        planned.push(planned.length === 0 ? { ...edit, warnings: [...patch.warnings, ...edit.warnings] } : edit);
      }
      return planned;
    },
  };
}

type Section = Extract<ReturnType<Accelerators['hashline']['parse']>, { ok: true }>['sections'][number];

async function planSection(
  hashline: Accelerators['hashline'],
  section: Section,
  { session, cwd }: ToolScope,
  host: FileToolsHost,
): Promise<PlannedEdit> {
  const path = resolvePath(cwd, section.path);
  const shownPath = displayPath(cwd, path);
  const before = await loadForEdit(path, shownPath, host);
  const isForNewFile = section.ops.every(({ start }) => start === 'BOF' || start === 'EOF');
  if (!before && !isForNewFile) throw errors.create('FILE_TOOLS_EDIT_NOT_FOUND', { path: shownPath });
  const snapshot = host.views.find(session, path);
  const result = hashline.apply(
    before ?? Buffer.alloc(0),
    { ...section, path: shownPath },
    { ...(snapshot && { snapshot }) },
  );
  if (!result.ok) {
    throw result.code === 'no-change'
      ? errors.create('FILE_TOOLS_NO_CHANGE', { path: shownPath })
      : errors.create('FILE_TOOLS_EDIT_REFUSED', { reason: result.message });
  }
  const warnings = result.recovered
    ? [`${shownPath} has changed since it was read; the lines were found where they are now.`, ...result.warnings]
    : result.warnings;
  return { path, shownPath, before, after: result.pieces, warnings };
}
