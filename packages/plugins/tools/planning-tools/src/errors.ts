import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a planning tool. */
export const errors = defineErrors('planning-tools', {
  PLANNING_TOOLS_TASK_UNKNOWN: {
    summary: 'There is no task "{task}".{hint}',
    next: 'Nothing was changed. The tasks are: {tasks}.',
  },
  PLANNING_TOOLS_TASK_AMBIGUOUS: {
    summary: '"{task}" fits several tasks: {tasks}.',
    next: 'Nothing was changed. Give the whole text of the task, or its id.',
  },
  PLANNING_TOOLS_PHASE_UNKNOWN: {
    summary: 'There is no phase "{phase}".{hint}',
    next: 'Nothing was changed. The phases are: {phases}.',
  },
  PLANNING_TOOLS_OPERATION: {
    summary: 'The operation "{op}" needs {what}.',
    next: 'Nothing was changed. Correct the operation and call the tool again.',
  },
  PLANNING_TOOLS_NO_SESSION: {
    summary: '{tool} needs a conversation.',
    next: 'It works on the messages of a session; there is none in a call by hand.',
  },
  PLANNING_TOOLS_NOT_PLANNING: {
    summary: 'This session is not planning, so there is no plan to submit.',
    next: 'Go on with the work. The user begins planning with /plan.',
  },
  PLANNING_TOOLS_NO_PLAN: {
    summary: 'There is no plan yet.',
    next: 'Give it to submit_plan, or write it to plan:// first.',
  },
  PLANNING_TOOLS_CALLED_OFF: {
    summary: 'A plugin called the new session off.',
    next: 'Nothing was changed. Approve the plan in this session with /plan approve.',
  },
  PLANNING_TOOLS_SUBAGENT: {
    summary: 'Checkpoint not available in subagents.',
    next: 'Continue without it; what a subagent reports is short anyway.',
  },
  PLANNING_TOOLS_CHECKPOINT_ACTIVE: {
    summary: 'Checkpoint already active.',
    next: 'Call rewind with your findings first.',
  },
  PLANNING_TOOLS_NO_CHECKPOINT: {
    summary: 'No active checkpoint.',
    next: 'Call checkpoint before an investigation that you want to rewind.',
  },
  PLANNING_TOOLS_REPORT_EMPTY: {
    summary: 'Report cannot be empty.',
    next: 'Write down what you found: it is all that stays.',
  },
});
