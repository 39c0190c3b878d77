import type { Tool, ToolResult } from '@tenon/tools/api';
import type { FileToolsHost } from '../host.ts';
import { scopeOf } from '../scope.ts';
import { explainFailures, fitLines, textResult } from '../tool-output.ts';
import { changePreview } from './change-preview.ts';
import type { EditMode, PlannedEdit } from './edit-mode.ts';
import { createHashlineMode } from './hashline-mode.ts';
import { createReplaceMode } from './replace-mode.ts';

/** The ways to write edits down; the setting `edit.mode` chooses one. */
const MODES: Readonly<Record<FileToolsHost['config']['edit']['mode'], () => EditMode>> = {
  hashline: createHashlineMode,
  replace: createReplaceMode,
};

/** The tool that edits files. All files of a call are changed, or none. */
export function createEditTool(host: FileToolsHost): Tool {
  const mode = MODES[host.config.edit.mode]();
  return explainFailures({
    description: mode.description,
    parameters: mode.parameters,
    async execute(input, call) {
      const scope = scopeOf(call, host.folders);
      const planned = await mode.plan(input, scope, host);
      // From here on the edit is carried out: a half-written set of files helps nobody.
      call.signal.throwIfAborted();
      await host.changes.apply(
        scope.session,
        planned.map(({ path, before, after }) => ({ path, before, after })),
      );
      return report(host, planned);
    },
  });
}

async function report(host: FileToolsHost, planned: readonly PlannedEdit[]): Promise<ToolResult> {
  const hashline = await host.accelerator('hashline');
  const files = planned.map(({ path, shownPath, before, after, warnings }) => {
    const preview = changePreview(hashline, shownPath, before ?? Buffer.alloc(0), Buffer.concat(after));
    const rows =
      before && preview.rows.length > 0
        ? [`${shownPath}:`, ...preview.rows]
        : [`${before ? 'Updated' : 'Created'} ${shownPath}`];
    const { diff, firstChangedLine } = preview;
    const op = before ? ('update' as const) : ('create' as const);
    return {
      rows,
      warnings,
      details: { path: shownPath, resolvedPath: path, op, diff, firstChangedLine },
    };
  });
  const warnings = files.flatMap((file) => file.warnings);
  const lines = files.flatMap(({ rows }, index) => (index > 0 ? ['', ...rows] : rows));
  const fitted = fitLines(lines);
  const text = [
    ...fitted.lines,
    ...(fitted.isCut ? ['[The rest of the changes was made too, but is not shown.]'] : []),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings] : []),
  ].join('\n');
  const [only] = files;
  return textResult(
    text,
    files.length === 1 && only ? only.details : { perFileResults: files.map(({ details }) => details) },
  );
}
