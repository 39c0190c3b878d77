/** What other plugins may use of the screen. What they bring to it are the slots of `@tenon/screen-slots/api`. */
export { errors } from './errors.ts';

/** Parts of the screen for other commands that show a conversation: transcript, dialogs, keys, themes. */
export type ScreenParts = typeof import('./screen-parts.ts');

/** Loads them, on first use. */
export const loadScreenParts = (): Promise<ScreenParts> => import('./screen-parts.ts');
