import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of `debug`. */
export const errors = defineErrors('debugger', {
  DEBUG_MISSING_INPUT: {
    summary: '{action} needs {fields}.',
    next: 'Call again with {fields}.',
  },
  DEBUG_NO_SESSION: {
    summary: 'No program is being debugged.',
    next: 'Start one with the action launch (program) or attach (pid or port).',
  },
  DEBUG_SESSION_ACTIVE: {
    summary: 'The debug session {id} ({program}) is still active.',
    next: 'Use the action terminate before you start another one.',
  },
  DEBUG_NOT_STOPPED: {
    summary: 'The program is {state}, so it has no current {what}.',
    next: 'Use pause, or set a breakpoint and continue; then ask again.',
  },
  DEBUG_NO_PROGRAM: {
    summary: 'The program {program} cannot be used: {reason}.',
    next: 'Name a program, relative to cwd or absolute.',
  },
  DEBUG_NO_ADAPTER: {
    summary: 'No debug adapter fits {what}. {known}',
    next: 'Name an adapter in `adapter` (debugpy, node, dlv, lldb-dap, …), or define one in the setting debugger.adapters.',
  },
  DEBUG_ADAPTER_MISSING: {
    summary: 'The debug adapter {adapter} is not installed: {reason}.',
    next: 'Install it: {install}.',
  },
  DEBUG_ADAPTER_INVALID: {
    summary: 'The debug adapter {adapter} is defined in a way that cannot be read: {reason}.',
    next: 'Correct it in the setting debugger.adapters, or in the pack that brings it.',
  },
  DEBUG_ADAPTER_FAILED: {
    summary: 'The debug adapter {adapter} could not be started: {reason}',
    next: 'Check the program and its arguments; `tenon sandbox status` shows what confines programs here.',
  },
  DEBUG_ADAPTER_ENDED: {
    summary: 'The debug adapter {adapter} has ended: {reason}',
    next: 'Start the program again with launch.',
  },
  DEBUG_REQUEST_FAILED: {
    summary: 'The debugger refused {command}: {reason}',
    next: 'Change the request; the session goes on.',
  },
  DEBUG_TIMEOUT: {
    summary: 'The debugger did not answer {command} within {seconds} seconds.',
    next: 'Call again with a larger timeout (up to 300), pause the program first, or terminate the session.',
  },
  DEBUG_NOT_SUPPORTED: {
    summary: 'The debug adapter {adapter} does not support {what}.',
    next: 'Do it in another way: evaluate reads and changes values, custom_request sends any request of the protocol.',
  },
  DEBUG_BAD_MESSAGE: {
    summary: 'The debug adapter sent something that is not a message of the protocol: {reason}.',
    next: 'Check that the command starts a debug adapter which speaks DAP.',
  },
  DEBUG_ATTACH_CONFINED: {
    summary: 'Attaching needs a debugger outside of the sandbox, and nothing may run outside of it (sandbox.required).',
    next: 'Use launch, so that the program and its debugger share a sandbox.',
  },
  DEBUG_CLOSED: { summary: 'Nothing can be debugged any more: {reason}.', next: 'Start Tenon anew.' },
});
