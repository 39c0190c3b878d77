/** A file of sound, pictures or film that is read. Addresses, lists of other files and pseudo-files of ffmpeg are none. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const MEDIA =
  /^[^:|@%*-][^:|@%*]*\.(?:mp4|m4v|mov|mkv|webm|avi|mp3|m4a|aac|wav|flac|ogg|opus|gif|png|jpe?g|webp|bmp)$/i;

/** Whether this is a plain name of a file with sound, pictures or film. */
export function isMediaFile(value: string): boolean {
  return MEDIA.test(value);
}

/** A file to read. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a file');
    if (word === undefined || !isMediaFile(value)) return meaning.refuse(`what ${value} is`, word);
    meaning.role('read', word);
  },
};
