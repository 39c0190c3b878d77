// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface PlanningToolsSettings {
  readonly todo: {
    readonly reminders: boolean;
    readonly reminderLimit: number;
  };
  readonly ask: {
    readonly timeout: number;
    readonly notify: boolean;
  };
}
