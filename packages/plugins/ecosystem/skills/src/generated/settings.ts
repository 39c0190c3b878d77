// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface SkillsSettings {
  readonly enabled: boolean;
  readonly listTokens: number;
  readonly triggerTokens: number;
  readonly commands: boolean;
}
