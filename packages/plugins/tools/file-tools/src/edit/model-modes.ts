/** Which edit mode a model gets. */
import type { Tool, ToolModel } from '@tenon/tools/api';

/** Variables that choose one mode for everybody. */
const FORCED = ['TENON_EDIT_MODE', 'PI_EDIT_VARIANT', 'OMP_EDIT_VARIANT'];

/** The mode that the settings name for a model, if they do. */
export function modeForModel(
  { provider, id }: ToolModel,
  modelModes: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (FORCED.some((name) => env[name])) return undefined;
  const names = [`${provider}/${id}`.toLowerCase(), id.toLowerCase()];
  return Object.entries(modelModes).find(([pattern]) => names.some((name) => globOf(pattern).test(name)))?.[1];
}

function globOf(pattern: string): RegExp {
  const body = pattern
    .toLowerCase()
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`);
}

/** The edit tool, with a form of its own for the models that the settings name. */
export function withModelModes(
  tool: Tool,
  forms: ReadonlyMap<string, Tool>,
  modelModes: Readonly<Record<string, string>>,
): Tool {
  if (forms.size === 0) return tool;
  return {
    ...tool,
    forModel(model) {
      const mode = modeForModel(model, modelModes, process.env);
      return mode === undefined ? undefined : forms.get(mode);
    },
  };
}
