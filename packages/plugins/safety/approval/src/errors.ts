import { defineErrors } from '@tenon/kernel';

/** Every error of approvals and policies. */
export const errors = defineErrors('approval', {
  APPROVAL_UNKNOWN: {
    exit: 'usage',
    summary: 'No call with the id "{id}" waits for an answer.{hint}',
    next: 'See what waits with `tenon approval list`.',
  },
  APPROVAL_NO_SESSION: {
    summary: 'The call "{id}" belongs to no session, so it cannot be allowed for one.',
    next: 'Allow it once, or with --always.',
  },
  APPROVAL_ONLY_ONCE: {
    exit: 'usage',
    summary: 'The call "{id}" can be allowed once, not for longer.',
    next: 'Allow it without --session and --always.',
  },
  APPROVAL_NO_WAY: {
    exit: 'usage',
    summary: 'The call "{id}" cannot be allowed with --{way}.',
    next: 'Leave the flag out, or see with `tenon approval show {id}` what would help.',
  },
  APPROVAL_NOTHING_TO_EXPLAIN: {
    summary: 'There is no command to explain.',
    next: 'Give one, or a file with commands: `tenon approval explain --file FILE`.',
    exit: 'usage',
  },
  APPROVAL_COMMANDS_UNREADABLE: {
    summary: 'The commands cannot be read from {file}: {reason}',
    next: 'Give a file with one command per line.',
    exit: 'usage',
  },
  APPROVAL_RECORD_INVALID: {
    summary: 'The record {file} is damaged: {reason}.',
    next: 'Remove it with `tenon approval clear`; the call is then asked about again.',
  },
  APPROVAL_POLICY_INVALID: {
    summary: '{file}:{line}: {problem}',
    next: 'Correct the policy, then see `tenon policy check`. Until then every call of a tool is refused.',
  },
  APPROVAL_POLICY_UNREADABLE: {
    summary: 'The policy {file} cannot be read: {reason}',
    next: 'Correct its permissions, or remove it. Until then every call of a tool is refused.',
  },
  APPROVAL_POLICY_MISSING: {
    summary: 'There is no policy at {file}.',
    next: 'Write one: see "Policies" in `tenon read docs://guide/safety.md`.',
  },
});
