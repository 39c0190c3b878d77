/** The subagents that Tenon brings. */
import explore from './explore.md';
import plan from './plan.md';
import reviewer from './reviewer.md';
import task from './task.md';

/** The texts of the definitions by name, and what differs from the text's own frontmatter. */
export const bundledTexts: Readonly<
  Record<string, { readonly text: string; readonly changes?: Readonly<Record<string, unknown>> }>
> = {
  explore: { text: explore },
  plan: { text: plan },
  task: { text: task },
  quick_task: {
    text: task,
    changes: {
      description: 'Does a small, mechanical piece of work with a small model: a rename, a format, one clear edit.',
      model: 'small',
      thinking: 'minimal',
      spawns: undefined,
    },
  },
  reviewer: { text: reviewer },
};
