/** Filters of ffmpeg that change size, speed or colours; others read files or run code. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const FILTER =
  /^(?:scale|fps|crop|pad|format|setsar|setdar|transpose|hflip|vflip|rotate|fade|volume|atempo|setpts|yadif|loudnorm|select|thumbnail)(?:=[\w:*/+.()-]*)?$/;

/** Filters. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'filters');
    if (!value.split(',').every((filter) => FILTER.test(filter))) meaning.refuse(`the filters ${value}`, word);
  },
};
