import { renderPrompt } from '@tenon/prompts';
import astEdit from './ast-edit.md';
import astGrep from './ast-grep.md';
import resolveFirst from './resolve-first.md';
import resolve from './resolve.md';

/** The tools' texts for models. */
export const prompts = {
  astGrep: (values: { readonly page: number }) => renderPrompt(astGrep, values),
  astEdit: () => renderPrompt(astEdit),
  resolve: () => renderPrompt(resolve),
  resolveFirst: (values: { readonly waiting: number }) => renderPrompt(resolveFirst, values),
};
