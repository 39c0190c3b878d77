import { renderPrompt } from '@tenon/prompts';
import ssh from './ssh.md';

/** The tool's text for models. */
export const prompts = { ssh: (values: { readonly seconds: number }) => renderPrompt(ssh, values) };
