// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface EvalToolsSettings {
  readonly languages: readonly ('python' | 'javascript')[];
  readonly timeoutSeconds: number;
  readonly idleMinutes: number;
  readonly maxKernels: number;
  readonly python?: string;
}
