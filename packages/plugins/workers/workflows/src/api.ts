/** What others may use of workflows: what one is, and where it stands. */
export { type Definition, definitionSchema, type NodeDefinition, type NodeKind } from './definition.ts';
export { errors } from './errors.ts';
export type { JournalEntry, StepState, WorkflowState } from './state.ts';
