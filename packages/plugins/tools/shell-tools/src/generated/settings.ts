// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ShellToolsSettings {
  readonly timeoutSeconds: number;
  readonly backgroundAfterSeconds: number;
  readonly bash?: string;
  readonly startFiles: boolean;
  readonly ci: boolean;
  readonly intercept: boolean;
  readonly interceptRules: readonly ({
    readonly programs: readonly string[];
    readonly onlyWith?: readonly string[];
    readonly notWith?: readonly string[];
    readonly when?: 'file' | 'write' | 'here-document';
    readonly operands?: number;
    readonly tool: string;
    readonly message: string;
  })[];
}
