import { defineErrors } from '@tenon/kernel';

/** What can go wrong when a program is to be confined. */
export const errors = defineErrors('sandbox', {
  SANDBOX_UNAVAILABLE: {
    summary: 'The sandbox profile "{profile}" cannot be enforced here: {reasons}.',
    next: 'Install bubblewrap (`apt install bubblewrap` on Debian and Ubuntu; `tenon sandbox status` shows what is missing), or see sandbox.required and sandbox.profile.',
  },
  SANDBOX_REQUIRED: {
    summary: 'Nothing may run outside of a sandbox here (sandbox.required).',
    next: 'Run it in the sandbox. A person can change that with `tenon config set sandbox.required false`.',
  },
  SANDBOX_ALLOW_LIST: {
    summary: 'The hosts of sandbox.network.allow cannot be opened one by one here: {reason}.',
    next: 'Install bubblewrap, or empty the list with `tenon config unset sandbox.network.allow`.',
  },
  SANDBOX_HOST_INVALID: {
    summary: '"{host}" in sandbox.network.allow is not a host: {reason}.',
    next: 'Write a name (packages.example.com), a name with all below it (*.example.com), or either with a port (example.com:8080).',
  },
  SANDBOX_PART_OPEN: {
    summary:
      '{mechanism}: it cannot keep {path} {what} inside a writable folder; install bubblewrap, or let it write only to folders beside that.',
    next: 'Install bubblewrap, or make only folders beside it writable.',
  },
  SANDBOX_WORKSPACE_TOO_WIDE: {
    summary: 'The profile "workspace-write" would let programs change all of {folder}, which is not a project.',
    next: 'Start Tenon in the folder of a project, or use the profile "read-only".',
  },
  SANDBOX_FOLDER_FOREIGN: {
    summary: '{folder}, where sandboxes note what they hold, belongs to somebody else, or others can write to it.',
    next: 'Remove it, or set TMPDIR to a folder of your own.',
  },
  SANDBOX_FOLDER_MISSING: {
    summary: 'The folder {folder} to confine a program to cannot be used: {reason}.',
    next: 'Make the folder first, or name another.',
  },
  SANDBOX_NO_TRACING: {
    summary: 'A sandbox of {mechanism} lets no program trace another, so debuggers do not work in it.',
    next: 'Install bubblewrap, or set sandbox.profile to "full" for programs that you trust.',
  },
  SANDBOX_PROFILE_UNKNOWN: {
    exit: 'usage',
    summary: '"{profile}" is not a sandbox profile.',
    next: 'Use read-only, workspace-write or full.',
  },
  SANDBOX_COMMAND_MISSING: {
    exit: 'usage',
    summary: 'There is no command to run.',
    next: 'Write it after two dashes: `tenon sandbox run -- COMMAND…`.',
  },
  SANDBOX_START_FAILED: {
    summary: '"{command}" could not be started: {reason}.',
    next: 'Check the name of the program and that it is in PATH.',
  },
});
