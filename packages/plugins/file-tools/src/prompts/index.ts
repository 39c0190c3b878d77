import { renderPrompt } from '../prompt.ts';
import editHashline from './edit-hashline.md';
import editReplace from './edit-replace.md';
import read from './read.md';
import write from './write.md';

/** The tools' texts for models. */
export const prompts = {
  read: (values: { readonly limit: number; readonly summaryFrom: number }) => renderPrompt(read, values),
  write: () => renderPrompt(write),
  editHashline: () => renderPrompt(editHashline),
  editReplace: () => renderPrompt(editReplace),
};
