import { defineErrors } from '@tenon/kernel';

/** Every error of updates and removal. */
export const errors = defineErrors('installation', {
  INSTALLATION_CLONE: {
    summary: 'This Tenon runs from a checkout, {folder}; npm has not installed it.',
    next: 'Update it with `git pull` there; the next `./tenon` sets it up. `tenon read docs://guide/install.md` says how to remove it.',
  },
  INSTALLATION_SDK: {
    summary: 'This Tenon is part of the package {name} in {folder}.',
    next: 'Update or remove that package in the program that installed it.',
  },
  INSTALLATION_NPX: {
    summary: 'npx has fetched this Tenon for one call ({folder}).',
    next: 'Name a version to get another one: `npx tenon-agent@latest`. `npm install -g tenon-agent` installs it.',
  },
  INSTALLATION_NOT_GLOBAL: {
    summary: 'This Tenon belongs to a project or to another package manager: {folder}.',
    next: 'Change it there, for example with `npm install tenon-agent@latest` in the project.',
  },
  INSTALLATION_WINDOWS: {
    summary: 'On Windows a program that runs cannot be replaced.',
    next: 'Close Tenon and run `{command}`.',
  },
  INSTALLATION_READ_ONLY: {
    summary: '{folder} cannot be changed: {reason}.',
    next: 'Run the command as the user that installed Tenon; an installation for all users needs `sudo`.',
  },
  INSTALLATION_NO_NPM: {
    exit: 'unavailable',
    summary: 'There is no npm in the PATH.',
    next: 'Install npm; it comes with Node.js.',
  },
  INSTALLATION_NPM: {
    summary: '`npm {words}` failed: {reason}',
    next: 'Look at what npm says. `npm config get registry` names the registry that it asks.',
  },
  INSTALLATION_VERSION: {
    exit: 'usage',
    summary: '"{version}" is neither a version nor a tag.',
    next: 'Name a version such as 1.2.3, or a tag such as latest.',
  },
  INSTALLATION_BROKEN: {
    summary: 'Tenon {version} does not start on this machine: {reason}. Nothing was changed.',
    next: 'Stay with the present version, and report this with the output of `tenon doctor`.',
  },
  INSTALLATION_NO_PREVIOUS: {
    summary: 'No earlier version is kept in {folder}.',
    next: '`tenon update` keeps the version that it replaces. Any other one: `npm install -g tenon-agent@VERSION`.',
  },
  INSTALLATION_NO_SQLITE: {
    exit: 'unavailable',
    summary: 'Node.js {version} has no SQLite, which prompt history, memory and runs are kept in.',
    next: 'Use Node.js 22.13 or newer, or run `npm install -g libsql`.',
  },
  INSTALLATION_CONFIRM: {
    exit: 'usage',
    summary: 'This needs an answer, and nobody is there to give one.',
    next: 'Run it in a terminal, or add --yes.',
  },
});
