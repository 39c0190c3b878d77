/** A plan as rows. */
import type { Theme } from '@tenon/components';
import { plainLine } from '@tenon/wording';

/** A plan as far as it is shown. */
export type ShownPlan = readonly {
  readonly name: string;
  readonly tasks: readonly { readonly content: string; readonly status: string }[];
}[];

/** One row for a task, with its mark. */
export function taskRow({ content, status }: ShownPlan[number]['tasks'][number], theme: Theme): string {
  const text = plainLine(content);
  if (status === 'completed') return `${theme.fg('success', '✓')} ${theme.fg('dim', text)}`;
  if (status === 'in_progress') return `${theme.fg('accent', '▸')} ${theme.bold(text)}`;
  if (status === 'abandoned') return `${theme.fg('dim', '✗')} ${theme.fg('dim', theme.strikethrough(text))}`;
  return `${theme.fg('muted', '○')} ${theme.fg('muted', text)}`;
}

/** All rows: the names of phases where there are several, and their tasks. */
export function planRows(phases: ShownPlan, theme: Theme): string[] {
  const isOne = phases.length < 2;
  return phases.flatMap(({ name, tasks }) => {
    const done = tasks.filter(({ status }) => status === 'completed' || status === 'abandoned').length;
    const head = `${theme.bold(plainLine(name))} ${theme.fg('dim', `${done}/${tasks.length}`)}`;
    return [...(isOne ? [] : [head]), ...tasks.map((task) => `${isOne ? '' : '  '}${taskRow(task, theme)}`)];
  });
}
