import { defineErrors } from '@tenon/kernel';

/** What can go wrong with a fleet. */
export const errors = defineErrors('fleet', {
  FLEET_NOT_SET_UP: {
    exit: 'usage',
    summary: 'This machine does not know a fleet.',
    next: 'Run `tenon fleet init --postgres URL`.',
  },
  FLEET_URL: {
    exit: 'usage',
    summary: 'The address of PostgreSQL cannot be used: {reason}',
    next: 'Write it as postgresql://user@host:5432/database.',
  },
  FLEET_CREDENTIALS: {
    summary: 'What this machine knows about its fleet cannot be read ({path}): {reason}',
    next: 'Run `tenon fleet init --postgres URL` again.',
  },
  FLEET_DATABASE: {
    summary: 'PostgreSQL at {place} cannot be used: {reason}',
    next: '{next}',
  },
  FLEET_KEY: {
    exit: 'usage',
    summary: 'The key in {path} belongs to another fleet than the database at {place}.',
    next: 'Copy fleet-credentials.json of a machine of this fleet, or use --postgres URL to join without a key for secrets.',
  },
  FLEET_NO_SCHEMA: {
    exit: 'usage',
    summary: 'The database at {place} was not prepared for a fleet.',
    next: 'Run `tenon fleet init --postgres URL` once, with a user that may create schemas.',
  },
  FLEET_NEWER: {
    summary: 'The database at {place} belongs to a newer Tenon (version {found}; this one knows {known}).',
    next: 'Use the newer Tenon.',
  },
  FLEET_HOST_TAKEN: {
    exit: 'usage',
    summary: 'A host named "{name}" is at work already.',
    next: 'Give this one another name: --name NAME.',
  },
  FLEET_HOST_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no host "{name}" in the fleet.{hint}',
    next: 'Run `tenon fleet status`.',
  },
  FLEET_FLAG: {
    exit: 'usage',
    summary: '--{flag} {value}: {reason}',
    next: 'Correct it; `tenon fleet --help` shows how.',
  },
  FLEET_LIMIT: {
    exit: 'usage',
    summary: '"{key}" cannot be limited: {reason}',
    next: 'Write account:ID, worker:NAME, repository:NAME or label:NAME, with * for each of them, and a number.',
  },
  FLEET_REQUEST: {
    exit: 'usage',
    summary: 'A host of the fleet cannot do this run: {reason}',
    next: '{next}',
  },
  FLEET_BUNDLE: {
    summary: 'The files of the run could not be brought to or from its host: {reason}',
    next: 'Try again; `tenon runs logs` shows what the run has said about it.',
  },
});
