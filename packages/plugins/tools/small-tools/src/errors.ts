import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a small tool. */
export const errors = defineErrors('small-tools', {
  SMALL_TOOLS_EXPRESSION: {
    summary: '{reason} (in "{expression}", at character {at})',
    next: 'Use numbers, + - * / % ** and parentheses.',
  },
  SMALL_TOOLS_NOT_FINITE: {
    summary: 'Expression result is not a finite number ("{expression}")',
    next: 'Check for a division by zero or a power that is too large.',
  },
  SMALL_TOOLS_DIAGRAM: {
    summary: 'The diagram cannot be drawn: {reason}',
    next: 'It must begin with graph, flowchart, sequenceDiagram, classDiagram, erDiagram, stateDiagram-v2 or xychart-beta. Draw large diagrams in parts.',
  },
  SMALL_TOOLS_NO_TASKS: {
    summary: 'No task runner is used in {folder}.',
    next: 'Recipes come from a justfile, package.json, Cargo.toml, Makefile or Taskfile. Run commands with bash instead.',
  },
  SMALL_TOOLS_TASK_UNKNOWN: {
    summary: 'There is no task "{task}".{hint}',
    next: 'The tasks are:\n{tasks}',
  },
  SMALL_TOOLS_TASK_AMBIGUOUS: {
    summary: 'Several runners have a task "{task}".',
    next: 'Say which one: {choices}.',
  },
});
