// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ApprovalSettings {
  readonly mode: 'ask' | 'strict' | 'yolo';
  readonly keepHours: number;
  readonly lastingAnswers: boolean;
}
