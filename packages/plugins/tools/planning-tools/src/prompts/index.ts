import { renderPrompt } from '@tenon/prompts';
import ask from './ask.md';
import checkpoint from './checkpoint.md';
import planApproved from './plan-approved.md';
import planCarryOut from './plan-carry-out.md';
import planChange from './plan-change.md';
import planHeld from './plan-held.md';
import planMode from './plan-mode.md';
import planNobody from './plan-nobody.md';
import planRefused from './plan-refused.md';
import rewindFirst from './rewind-first.md';
import rewindReport from './rewind-report.md';
import rewind from './rewind.md';
import submitPlan from './submit-plan.md';
import todoNews from './todo-news.md';
import todoReminder from './todo-reminder.md';
import todoWrite from './todo-write.md';

/** The texts for models. */
export const prompts = {
  todoWrite: () => renderPrompt(todoWrite),
  todoReminder: (values: { readonly count: number; readonly plan: string }) => renderPrompt(todoReminder, values),
  todoNews: (values: { readonly plan: string }) => renderPrompt(todoNews, values),
  planMode: (values: { readonly canSubmit: boolean }) => renderPrompt(planMode, values),
  planHeld: () => renderPrompt(planHeld),
  planApproved: (values: { readonly notes: string; readonly tasks: string }) => renderPrompt(planApproved, values),
  planCarryOut: (values: { readonly plan: string; readonly notes: string; readonly tasks: string }) =>
    renderPrompt(planCarryOut, values),
  planChange: (values: { readonly wish: string }) => renderPrompt(planChange, values),
  planNobody: (values: { readonly title: string }) => renderPrompt(planNobody, values),
  planRefused: () => renderPrompt(planRefused),
  submitPlan: () => renderPrompt(submitPlan),
  ask: () => renderPrompt(ask),
  checkpoint: () => renderPrompt(checkpoint),
  rewind: () => renderPrompt(rewind),
  rewindFirst: () => renderPrompt(rewindFirst),
  rewindReport: (values: { readonly goal: string; readonly report: string }) => renderPrompt(rewindReport, values),
};
