/** Where a database is: its name, a socket, this machine, or an address. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const LOCAL = /^(localhost|127\.0\.0\.1|::1)$/;

/** A database or its host. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a database');
    const [, host] = /^postgres(?:ql)?:\/\/(?:[^@/?#\s]*@)?([^:/?#@\s]*)(?::\d+)?(?:\/[\w-]*)?$/.exec(value) ?? [];
    if (host !== undefined ? host === '' || LOCAL.test(host) : LOCAL.test(value) || /^[\w-]+$/.test(value)) return;
    if (/^\/[\w./-]+$/.test(value)) return meaning.text('read', value);
    meaning.add(2, 'talks to another machine');
  },
};
