import { defineErrors } from '@tenon/kernel';

/** What can be wrong with workflows. */
export const errors = defineErrors('workflows', {
  WORKFLOWS_UNREADABLE: {
    summary: '{file} cannot be read: {reason}.',
    next: 'Give a file with a definition, as YAML, JSON or TypeScript.',
  },
  WORKFLOWS_NO_SANDBOX: {
    summary: '{file} is code, and there is no sandbox here to evaluate it in: {reason}.',
    next: 'Install bubblewrap (`tenon sandbox status` says what is missing), or write the definition as YAML or JSON.',
  },
  WORKFLOWS_INVALID: {
    summary: '{file} is not a valid workflow: {problems}.',
    next: 'See `tenon read docs://guide/workflows.md`.',
  },
  WORKFLOWS_INPUT: {
    summary: '{problem}.',
    next: 'Give inputs as --input NAME=VALUE; the definition lists them under `inputs`.',
  },
  WORKFLOWS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no workflow {id}.{hint}',
    next: '`tenon workflow list` shows all of them.',
  },
  WORKFLOWS_BUSY: {
    summary: 'Another process works on workflow {id}.',
    next: 'Watch it with `tenon workflow show {id}`, or stop that process.',
  },
  WORKFLOWS_NO_QUESTION: {
    summary: 'Node "{node}" of workflow {id} does not wait for an answer.{hint}',
    next: '`tenon workflow show {id}` says which does.',
  },
  WORKFLOWS_CHANGED: {
    summary: 'The definition has changed in nodes that have already finished or run: {nodes}.',
    next: 'Go on without --take-changes (the workflow keeps the definition that it began with), or begin a new one.',
  },
  WORKFLOWS_OVER: {
    summary: 'Workflow {id} has ended ({state}).',
    next: 'Begin a new one; if nodes failed, `tenon workflow retry {id}` runs them again.',
  },
  WORKFLOWS_NOTHING_FAILED: {
    summary: 'Nothing of workflow {id} has failed.',
    next: 'Go on with one that was interrupted: tenon workflow continue {id}.',
  },
  WORKFLOWS_TEMPLATE: {
    summary: 'Node "{node}" uses {what}, which is not there.',
    next: 'Name an input, `item`, or a node that it `needs`.',
  },
  WORKFLOWS_UNSAFE_PLACE: {
    summary: 'Node "{node}" has {what} where sh could read its value as a command.',
    next: 'Put it into a variable first at the beginning of the command, and use "$value" there.',
  },
  WORKFLOWS_JOURNAL: {
    summary: 'The journal {file} is damaged in line {line}.',
    next: 'Only its last line may be cut off, by a crash. Restore the file, or begin a new workflow.',
  },
});
