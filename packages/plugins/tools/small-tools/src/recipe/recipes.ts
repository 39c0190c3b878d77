/** Which task an `op` means. */
import { type Entry, type Logger, messageOf, type Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { RunnerTask, TaskRunner, TaskRunnerData } from '../api.ts';
import { errors } from '../errors.ts';

/** How many tasks of a runner a list shows. */
const SHOWN_TASKS = 40;

/** A runner that is used in a folder, with its tasks. */
export interface DetectedRunner {
  readonly id: string;
  readonly label: string;
  readonly program: string | undefined;
  readonly tasks: readonly RunnerTask[];
}

/** What an `op` comes to. */
export interface Recipe {
  readonly runner: DetectedRunner;
  readonly task: RunnerTask;
  readonly command: string;
}

/** The runners that are used in a folder. One whose files cannot be read is left out, with a word in the notes. */
export async function detectRunners(
  registry: Registry<TaskRunner>,
  folder: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<{ runners: DetectedRunner[]; notes: string[] }> {
  const notes: string[] = [];
  const detect = async ({ key, data, value }: Entry<TaskRunner> & { readonly value: TaskRunner }) => {
    const { label = key, program } = data as Partial<TaskRunnerData>;
    try {
      return { id: key, label, program, tasks: await value.tasks(folder, { signal }) };
    } catch (fault) {
      signal.throwIfAborted();
      log.debug(`the task runner "${key}" cannot be used: ${messageOf(fault)}`);
      notes.push(`${label} cannot be used: ${messageOf(fault)}`);
      return undefined;
    }
  };
  const detected = await Promise.all((await registry.resolveAll()).map(detect));
  return { runners: detected.filter((runner) => runner !== undefined).filter(({ tasks }) => tasks.length > 0), notes };
}

/** The task and the command that an `op` means; throws with the list of tasks when there is none. */
export function resolveRecipe(op: string, runners: readonly DetectedRunner[]): Recipe {
  const [, head = '', tail = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(op) ?? [];
  const prefix = /^([^:]+):(.*)$/.exec(head);
  const named = runners.find(({ id }) => id === prefix?.[1]);
  const candidates = named ? choices([named], prefix?.[2] ?? '') : choices(runners, head);
  const [only, ...others] = candidates;
  if (only && others.length === 0) return { ...only, command: joined(only.task, tail) };
  if (only) {
    const forms = candidates.map(({ runner }) => `${runner.id}:${head}`);
    throw errors.create('SMALL_TOOLS_TASK_AMBIGUOUS', { task: head, choices: forms });
  }
  const names = runners.flatMap(({ tasks }) => tasks.map(({ name }) => name));
  throw errors.create('SMALL_TOOLS_TASK_UNKNOWN', {
    task: head,
    hint: didYouMean(named ? (prefix?.[2] ?? '') : head, names),
    tasks: taskList(runners),
  });
}

function choices(runners: readonly DetectedRunner[], name: string): { runner: DetectedRunner; task: RunnerTask }[] {
  return runners.flatMap((runner) => {
    const task = runner.tasks.find((candidate) => candidate.name === name);
    return task ? [{ runner, task }] : [];
  });
}

function joined({ command, separator }: RunnerTask, tail: string): string {
  const rest = tail.trimEnd();
  if (rest === '') return command;
  const isSeparated = separator === undefined || rest === separator || rest.startsWith(`${separator} `);
  return [command, ...(isSeparated ? [] : [separator]), rest].join(' ');
}

/** All tasks, by runner, as models and people read them. */
export function taskList(runners: readonly DetectedRunner[]): string {
  return runners
    .map(({ id, label, tasks }) => {
      const rows = tasks.slice(0, SHOWN_TASKS).map(({ name, parameters = [], doc, command, cwd }) => {
        const words = [name, ...parameters].join(' ');
        const place = cwd === undefined ? '' : ` (in ${cwd})`;
        return `  ${words}: ${doc ?? command}${place}`;
      });
      const more = tasks.length - SHOWN_TASKS;
      return [`${id} (${label})`, ...rows, ...(more > 0 ? [`  … ${more} more`] : [])].join('\n');
    })
    .join('\n');
}
