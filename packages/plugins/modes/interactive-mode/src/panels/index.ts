/** What stands above the editor. Every panel gives no rows when it has nothing to show. */
export { type JobFacts, JobsPanel, type ShownJob } from './jobs-panel.ts';
export { heldMark, planModeMark } from './mark-panels.ts';
export type { PanelLook } from './panel-look.ts';
export { type PlanFacts, PlanPanel } from './plan-panel.ts';
export { planRows, type ShownPlan } from './plan-rows.ts';
export { type QueueFacts, QueuePanel } from './queue-panel.ts';
