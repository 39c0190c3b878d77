/** What other plugins may use of subagents: what the tool `task` tells about its tasks. */
export type { TaskDetails, TaskView } from './board.ts';
export { errors } from './errors.ts';
