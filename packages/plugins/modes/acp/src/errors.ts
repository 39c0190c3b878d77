import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a request of an editor. */
export const errors = defineErrors('acp', {
  ACP_FOLDER: {
    summary: 'No session can work in {folder}: {reason}.',
    next: 'Name an existing folder by its absolute path.',
  },
  ACP_SESSION_UNKNOWN: {
    summary: 'There is no session "{session}".',
    next: 'See which there are with `session/list`.',
  },
  ACP_CONTENT: {
    summary: 'A prompt cannot hold content of the type "{type}".',
    next: 'Send text, images, links to files, or embedded text.',
  },
  ACP_PROMPT_EMPTY: {
    summary: 'The prompt is empty.',
    next: 'Send text, an image or a file.',
  },
  ACP_MODE_UNKNOWN: {
    summary: 'There is no mode "{mode}".',
    next: 'The modes are: {modes}.',
  },
  ACP_OPTION_UNKNOWN: {
    summary: 'The option "{option}" has no value "{value}".',
    next: 'See `configOptions` of the session for the values.',
  },
  ACP_NO_MODEL: {
    summary: 'No model is set up.',
    next: 'Run `tenon auth login` in a terminal, or set the key of a provider in the environment of the editor.',
  },
  ACP_RELAY_ENDED: {
    summary: 'The Tenon that works in {folder} has ended: {reason}.',
    next: 'Open the session again.',
  },
});
