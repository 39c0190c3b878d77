/** What other plugins may use: the slot for task runners. */
import { slot } from '@tenon/kernel';

/** One task of a project. */
export interface RunnerTask {
  /** How it is asked for, e.g. `test` or `web/build`. */
  readonly name: string;
  /** The shell command that runs it; arguments are put after it. */
  readonly command: string;
  /** What must stand between the command and its arguments: npm takes flags without `--` for itself. */
  readonly separator?: string;
  /** The folder to run it in, from the project's folder; there by default. */
  readonly cwd?: string;
  /** What it does. */
  readonly doc?: string;
  /** The names of its parameters, for lists only. */
  readonly parameters?: readonly string[];
}

/** Finds the tasks of a project by reading its files. Nothing of the project is run for that. */
export interface TaskRunner {
  /** The tasks in a folder; none when the runner is not used there. */
  tasks(folder: string, call: { readonly signal: AbortSignal }): Promise<readonly RunnerTask[]>;
}

/** What the manifest says about a runner. */
export interface TaskRunnerData {
  /** For lists. */
  readonly label: string;
  /** The program that it needs; without it the tasks are listed, but say so. */
  readonly program?: string;
}

/** Task runners by the id that `id:task` takes. The data of an entry is a `TaskRunnerData`. */
export const taskRunners = slot<TaskRunner>('task-runners', { access: 'packs' });

export { errors } from './errors.ts';
