import { renderPrompt } from '@tenon/prompts';
import calc from './calc.md';
import recipe from './recipe.md';
import renderMermaid from './render-mermaid.md';

/** The tools' texts for models. */
export const prompts = {
  calc: () => renderPrompt(calc),
  recipe: () => renderPrompt(recipe),
  renderMermaid: () => renderPrompt(renderMermaid),
};
