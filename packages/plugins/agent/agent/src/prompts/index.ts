import { renderPrompt } from '@tenon/prompts';
import asideSystem from './aside-system.md';
import bashExecution from './bash-execution.md';
import branchSummaryContext from './branch-summary-context.md';
import branchSummary from './branch-summary.md';
import compactionLeftOut from './compaction-left-out.md';
import compactionShort from './compaction-short.md';
import compactionSummaryContext from './compaction-summary-context.md';
import compactionSummary from './compaction-summary.md';
import compactionSystem from './compaction-system.md';
import compactionTurnPrefix from './compaction-turn-prefix.md';
import compactionUpdate from './compaction-update.md';
import fileMention from './file-mention.md';
import handoffContext from './handoff-context.md';
import handoffDocument from './handoff-document.md';
import system from './system.md';

const sources = {
  'aside-system': asideSystem,
  'bash-execution': bashExecution,
  'branch-summary': branchSummary,
  'branch-summary-context': branchSummaryContext,
  'compaction-left-out': compactionLeftOut,
  'compaction-short': compactionShort,
  'compaction-summary': compactionSummary,
  'compaction-summary-context': compactionSummaryContext,
  'compaction-system': compactionSystem,
  'compaction-turn-prefix': compactionTurnPrefix,
  'compaction-update': compactionUpdate,
  'file-mention': fileMention,
  'handoff-context': handoffContext,
  'handoff-document': handoffDocument,
  system,
} as const;

/** Renders one of the prompts. */
export function render(name: keyof typeof sources, values: Readonly<Record<string, unknown>> = {}): string {
  return renderPrompt(sources[name], values);
}
