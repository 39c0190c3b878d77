export { renderPrompt } from '@tenon/prompts';
