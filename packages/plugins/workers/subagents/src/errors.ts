import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call for subagents. */
export const errors = defineErrors('subagents', {
  SUBAGENTS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no subagent "{agent}" here.{hint}',
    next: 'The subagents are: {known}.',
  },
  SUBAGENTS_DISABLED: {
    summary: 'The subagent "{agent}" is switched off by "{pattern}" in the setting subagents.disabled.',
    next: 'Use another one: {known}.',
  },
  SUBAGENTS_IDS: {
    summary: 'The ids of the tasks cannot be used: {problem}.',
    next: 'Give each task a short id of its own, for example "auth-tests".',
  },
  SUBAGENTS_TOO_MANY: {
    summary: 'The call has {count} tasks; {limit} is the limit (setting subagents.maxTasks).',
    next: 'Make tasks bigger, or call the tool again when these are done.',
  },
  SUBAGENTS_NO_SPAWN: {
    summary: 'This agent may not start "{agent}": {reason}.',
    next: 'Do the work yourself, or say in your result what is left to do.',
  },
  SUBAGENTS_SCHEMA: {
    summary: 'The schema of the result is no JSON Schema that can be used: {problem}.',
    next: 'Correct it ({source}), or leave it out.',
  },
  SUBAGENTS_ISOLATION_OFF: {
    summary: 'Tasks cannot be isolated here: the setting subagents.isolation.mode is none.',
    next: 'Call again without `isolated`, and give no two tasks the same files. The user can set it to worktree or overlay.',
  },
  SUBAGENTS_NO_JOBS: {
    summary: 'Tasks cannot run in the background here: {reason}.',
    next: 'Call again without `background`.',
  },
});
