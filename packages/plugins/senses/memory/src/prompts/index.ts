import { renderPrompt } from '@tenon/prompts';
import recall from './recall.md';
import reflectQuestion from './reflect-question.md';
import reflect from './reflect.md';
import remembered from './remembered.md';
import retain from './retain.md';

/** The texts for models. */
export const prompts = {
  retain: () => renderPrompt(retain),
  recall: () => renderPrompt(recall),
  reflect: () => renderPrompt(reflect),
  reflectQuestion: (values: { readonly query: string; readonly context: string; readonly facts: string }) =>
    renderPrompt(reflectQuestion, values),
  remembered: (values: { readonly facts: string }) => renderPrompt(remembered, values),
};
