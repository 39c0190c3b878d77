/** `-F` of curl: `name=text`, `name=@file`, `name=<file`, with settings behind `;`. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A field of a form. */
export const language: Language = {
  read([word], meaning) {
    const text = valueOf(word, meaning, 'a field of a form');
    const [, content] = /^[\w.[\]-]+=(.*)$/s.exec(text) ?? [];
    if (content === undefined || /^[("]|;\s*headers=/.test(content)) return meaning.refuse(`the field ${text}`, word);
    const [, files] = /^[@<]([^;]*)/s.exec(content) ?? [];
    for (const file of files?.split(',') ?? []) if (file !== '-') meaning.text('read', file.replace(/^"(.*)"$/s, '$1'));
  },
};
