/** Small rules of writing that messages share. */
export { fencedText, tagValue } from './fences.ts';
export { didYouMean, nearest } from './nearest.ts';
export { plainLine, plainText, terminalText } from './plain-text.ts';
export { byteText, countText, cutText } from './sizes.ts';
export { timeAgo } from './times.ts';
export { counted, inSentences, shellWord } from './writing.ts';
