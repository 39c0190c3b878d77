import { renderPrompt } from '@tenon/prompts';
import editApplyPatch from './edit-apply-patch.md';
import editHashline from './edit-hashline.md';
import editPatch from './edit-patch.md';
import editReplace from './edit-replace.md';
import editVim from './edit-vim.md';
import read from './read.md';
import write from './write.md';

/** The tools' texts for models. */
export const prompts = {
  read: (values: { readonly limit: number; readonly summaryFrom: number }) => renderPrompt(read, values),
  write: () => renderPrompt(write),
  editHashline: () => renderPrompt(editHashline),
  editReplace: () => renderPrompt(editReplace),
  editPatch: () => renderPrompt(editPatch),
  editApplyPatch: () => renderPrompt(editApplyPatch),
  editVim: () => renderPrompt(editVim),
};
