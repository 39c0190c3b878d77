/** Tasks of a Taskfile (go-task), read from its text and from the files that it includes. */
import { dirname, join } from 'node:path';
import type { RunnerTask, TaskRunner } from '../api.ts';
import { firstText, quoted, readText } from './project-files.ts';

const FILES = [
  'Taskfile.yml',
  'taskfile.yml',
  'Taskfile.yaml',
  'taskfile.yaml',
  'Taskfile.dist.yml',
  'Taskfile.dist.yaml',
];
const MAX_INCLUDES = 20;

type Fields = Readonly<Record<string, unknown>>;

/** Tasks of go-task. */
export const taskfileRunner: TaskRunner = {
  async tasks(folder) {
    const text = await firstText(folder, FILES);
    return text === undefined ? [] : collect(text, folder, '', { left: MAX_INCLUDES });
  },
};

async function collect(text: string, folder: string, prefix: string, budget: { left: number }): Promise<RunnerTask[]> {
  const { parseYaml } = await import('./formats.ts');
  const file = fieldsOf(parseYaml(text));
  const tasks = Object.entries(fieldsOf(file['tasks'])).flatMap(([name, task]) => taskOf(`${prefix}${name}`, task));
  for (const [namespace, include] of Object.entries(fieldsOf(file['includes']))) {
    const { taskfile, internal, flatten } = fieldsOf(typeof include === 'string' ? { taskfile: include } : include);
    if (typeof taskfile !== 'string' || taskfile.includes('://') || internal === true || budget.left-- <= 0) continue;
    const path = join(folder, taskfile);
    const own = (await readText(path)) ?? (await firstText(path, FILES));
    if (own === undefined) continue;
    const inner = /\.ya?ml$/.test(path) ? dirname(path) : path;
    tasks.push(...(await collect(own, inner, flatten === true ? prefix : `${prefix}${namespace}:`, budget)));
  }
  return tasks;
}

function taskOf(name: string, task: unknown): RunnerTask[] {
  const { desc, summary, internal } = fieldsOf(task);
  if (internal === true || name.includes('*')) return [];
  const doc = [desc, summary].find((text) => typeof text === 'string' && text.trim() !== '');
  const line = typeof doc === 'string' ? doc.trim().split('\n')[0] : undefined;
  return [{ name, command: `task ${quoted(name)}`, ...(line !== undefined && { doc: line }) }];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
