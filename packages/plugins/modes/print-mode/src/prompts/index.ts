import { renderPrompt } from '@tenon/prompts';
import answerSchema from './answer-schema.md';
import schemaRepair from './schema-repair.md';

/** The texts for models. */
export const prompts = {
  answerSchema: (values: { readonly schema: string }) => renderPrompt(answerSchema, values),
  schemaRepair: (values: { readonly problem: string }) => renderPrompt(schemaRepair, values),
};
