import { renderPrompt } from '@tenon/prompts';
import browser from './browser.md';

/** The tool's text for models. */
export const prompts = {
  browser: (values: { readonly about: string }) => renderPrompt(browser, values),
};
