import { defineErrors } from '@tenon/kernel';

/** What can be wrong with settings files and the commands about them. */
export const errors = defineErrors(
  'settings-files',
  {
    SETTINGS_FILES_SYNTAX: {
      summary: '{file}:{line}:{column}: {problem}',
      next: 'Correct the file, for example with `tenon config edit`.',
    },
    SETTINGS_FILES_NOT_A_MAPPING: {
      summary: '{file}:{line}:{column}: settings must be "plugin: …" pairs, but the file holds {found}.',
      next: 'Write one section per plugin; `tenon config schema` describes them.',
    },
    SETTINGS_FILES_BY_HAND: {
      summary: '"{key}" in {file} comes from an anchor or a merge ("<<") and cannot be changed alone.',
      next: 'Change it by hand with `tenon config edit`.',
    },
    SETTINGS_FILES_USER_ONLY: {
      summary: 'Setting "{key}" cannot be set for a project ({file}): a repository must not decide it for its users.',
      next: 'Set it for yourself: leave out --project.',
    },
    SETTINGS_FILES_ASSIGNMENT: {
      exit: 'usage',
      summary: '"{text}" ({origin}) does not set anything: it must be KEY=VALUE.',
      next: 'Write for example `--set plugin.setting=value`.',
    },
    SETTINGS_FILES_VALUE: {
      exit: 'usage',
      summary: 'The value "{text}" of "{key}" cannot be read: {problem}',
      next: 'Write it as YAML. Put it in quotes inside the shell quotes to make it plain text: \'"{text}"\'.',
    },
    SETTINGS_FILES_REFUSED: {
      exit: 'usage',
      summary: '"{text}" is not a value of "{key}": it {problem}.',
      next: 'Nothing was changed. `tenon config schema` describes the settings.',
    },
    SETTINGS_FILES_EDITOR: {
      summary: 'The editor failed: {reason}.',
      next: 'Set $VISUAL or $EDITOR to your editor, or change settings with `tenon config set`. The file is {file}.',
    },
    SETTINGS_FILES_EDIT_KEPT: {
      summary: '{file} was not changed: {reason}',
      next: 'What you wrote is kept in {copy}. Correct it there and move it over {file}, or delete it.',
    },
  },
  'config',
);
