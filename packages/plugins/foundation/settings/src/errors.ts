import { defineErrors } from '@tenon/kernel';

/** What can be wrong with settings. */
export const errors = defineErrors(
  'settings',
  {
    SETTINGS_UNREADABLE: {
      summary: 'Settings layer "{layer}" ({file}) cannot be read: {reason}',
      next: 'Correct the file; until then plugins with settings do not start. `tenon config path` shows all files.',
    },
    SETTINGS_INVALID: {
      summary: 'Setting "{key}" of plugin "{plugin}" is invalid ({where}): {problem}',
      next: 'Correct it with `tenon config set {key} VALUE` or in the file; `tenon config schema` describes the settings.',
    },
    SETTINGS_UNKNOWN: {
      exit: 'usage',
      summary: 'There is no setting "{key}".{hint}',
      next: 'See all settings with `tenon config list`.',
    },
    SETTINGS_STRAY: {
      summary: 'The settings ({where}) have a section "{key}", but no plugin of that name is installed.{hint}',
      next: 'Correct the name, install the plugin, or remove the section.',
    },
    SETTINGS_READONLY: {
      summary: 'Settings layer "{layer}" cannot be written.',
      next: 'Write to one of: {writable}.',
    },
    SETTINGS_RENAMED: {
      summary: 'Setting "{key}" ({where}) is now called "{renamed}"; its value is still used.',
      next: 'Rename it in the file.',
    },
    SETTINGS_NOT_FOR_PROJECTS: {
      summary: 'Setting "{key}" ({where}) can only be set by the user, not by a project; it is ignored there.',
      next: 'If you want it, set it yourself with `tenon config set {key} VALUE`.',
    },
  },
  'config',
);
