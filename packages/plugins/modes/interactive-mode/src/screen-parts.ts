/** Parts of the screen for others that show a conversation on a terminal. `loadScreenParts` of the API loads them on first use. */
export { generalRenderer, prepareDiffs } from './cards/index.ts';
export { elapsedText } from './cards/rows.ts';
export { Countdown, SelectDialog, TextDialog } from './dialogs/index.ts';
export { QuestionQueue } from './dialogs/question-queue.ts';
export { Keymap } from './keys/keymap.ts';
export { Leaving } from './leaving.ts';
export { guardErrorOutput } from './output-guard.ts';
export { RendererTable } from './renderer-table.ts';
export { ThemeChoice } from './theme-choice.ts';
export { newAnswerBlock } from './transcript/answer-blocks.ts';
export { Transcript } from './transcript/transcript.ts';
