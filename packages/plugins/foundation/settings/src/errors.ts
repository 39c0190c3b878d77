import { defineErrors } from '@tenon/kernel';

/** What can be wrong with settings. */
export const errors = defineErrors(
  'settings',
  {
    SETTINGS_UNREADABLE: {
      summary: 'Settings layer "{layer}" cannot be read: {reason}',
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
      summary: 'A project cannot set {keys}; that is ignored ({where}).',
      next: 'If you want it, set it yourself with `tenon config set {key} VALUE`.',
    },
    SETTINGS_NEED_TRUST: {
      summary: 'This project is not trusted, so its settings for {keys} are ignored ({where}).',
      next: 'Look at the file; then trust the project with `tenon trust add`, or set them yourself.',
    },
    SETTINGS_ONLY_STRICTER: {
      summary: 'A project can only make {keys} stricter than you have it; what is looser is ignored ({where}).',
      next: 'If you want it, set it yourself with `tenon config set {key} VALUE`.',
    },
    SETTINGS_PROJECT_INVALID: {
      summary: 'This project is not trusted, and what it says about {keys} does not fit; that is ignored ({where}).',
      next: 'Correct the file, or remove it.',
    },
  },
  'config',
);
