import { renderPrompt } from '@tenon/prompts';
import ask from './ask.md';
import checkpoint from './checkpoint.md';
import planApproved from './plan-approved.md';
import planMode from './plan-mode.md';
import rewindFirst from './rewind-first.md';
import rewindReport from './rewind-report.md';
import rewind from './rewind.md';
import todoNews from './todo-news.md';
import todoReminder from './todo-reminder.md';
import todoWrite from './todo-write.md';

/** The texts for models. */
export const prompts = {
  todoWrite: () => renderPrompt(todoWrite),
  todoReminder: (values: { readonly count: number; readonly plan: string }) => renderPrompt(todoReminder, values),
  todoNews: (values: { readonly plan: string }) => renderPrompt(todoNews, values),
  planMode: () => renderPrompt(planMode),
  planApproved: (values: { readonly notes: string }) => renderPrompt(planApproved, values),
  ask: () => renderPrompt(ask),
  checkpoint: () => renderPrompt(checkpoint),
  rewind: () => renderPrompt(rewind),
  rewindFirst: () => renderPrompt(rewindFirst),
  rewindReport: (values: { readonly goal: string; readonly report: string }) => renderPrompt(rewindReport, values),
};
