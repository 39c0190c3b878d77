/** The edit tool by mode: the one that is set, or another for a single call. */
import type { Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { EditMode, EditTools } from '../api.ts';
import { errors } from '../errors.ts';
import { createEditTool, type EditToolHost } from './edit-tool.ts';

/** What choosing a mode needs. */
export interface EditToolsHost extends EditToolHost {
  readonly registry: Registry<EditMode>;
}

/** The mode under a name; starts the plugin that brings it. */
export async function findMode(registry: Registry<EditMode>, mode: string): Promise<EditMode> {
  if (!registry.get(mode)) {
    const modes = registry.list().map(({ key }) => key);
    throw errors.create('FILE_TOOLS_MODE_UNKNOWN', { mode, modes, hint: didYouMean(mode, modes) });
  }
  return registry.resolve(mode);
}

/** Makes the service. */
export function createEditTools(host: EditToolsHost): EditTools {
  const { registry } = host;
  return {
    mode: host.config.edit.mode,
    modes: () =>
      registry.list().map(({ key, data }) => ({
        name: key,
        summary: typeof data['summary'] === 'string' ? data['summary'] : '',
      })),
    tool: async (mode) => createEditTool(host, await findMode(registry, mode)),
  };
}
