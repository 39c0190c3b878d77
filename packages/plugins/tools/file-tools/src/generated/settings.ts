// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface FileToolsSettings {
  readonly read: {
    readonly defaultLimit: number;
    readonly summaryFromLines: number;
  };
  readonly edit: {
    readonly mode: string;
    readonly modelModes: Readonly<Record<string, string>>;
    readonly generatedFiles: 'refuse' | 'allow';
  };
}
