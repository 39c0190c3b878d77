/** The address that a server listens at: only this machine itself. Everything else opens the project to others. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const LOOPBACK = /^(?:(?:https?|tcp):\/\/)?(?:localhost|127\.0\.0\.1|\[?::1\]?|false)(?::\d{1,5})?$/;

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}

/** An address to listen at. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'an address to listen at');
    if (!isLoopback(value)) meaning.refuse(`the address ${value}, at which others could reach the server`, word);
  },
};
