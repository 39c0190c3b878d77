// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface WorkersSettings {
  readonly prefer: readonly string[];
  readonly custom: Readonly<Record<string, {
    readonly program: string;
    readonly args: readonly string[];
    readonly name?: string;
    readonly resumeArgs?: readonly string[];
    readonly interactiveArgs?: readonly string[];
    readonly modelFlag?: string;
    readonly systemPromptFlag?: string;
    readonly folderFlag?: string;
    readonly mcpFlag?: string;
    readonly output?: string;
    readonly session?: string;
    readonly banners?: readonly string[];
    readonly errors?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly dropEnv?: readonly string[];
    readonly hosts?: readonly string[];
    readonly state?: readonly string[];
    readonly keyVariables?: readonly string[];
    readonly vendor?: string;
    readonly versionArgs?: readonly string[];
    readonly sideEffects?: readonly string[];
    readonly homepage?: string;
    readonly install?: string;
  }>>;
}
