/** The address of a request. Only an address of this machine in its plainest form is local: no name of a user, no globs, no second `@`. */
import type { Language } from '../language.ts';

const LOCAL =
  /^(?:https?:\/\/)?(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|0\.0\.0\.0|\[::1\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~%!$'()*+,;=:@/-]*(?:\?[A-Za-z0-9._~%!$'()*+,;=:@/?&-]*)?)?$/;

/** Whether an address leads to this machine, for every program that could read it. */
export function isLocalAddress(address: string): boolean {
  return LOCAL.test(address);
}

/** An address. */
export const language: Language = {
  read([word], meaning) {
    if (word === undefined) return;
    const isLocal = word.value !== undefined && !word.isMany && isLocalAddress(word.value);
    // What comes from another machine may be run later: the judge follows it.
    if (!isLocal) return meaning.refuse('an address that is not proven to be this machine', word);
    // The engine knows whether a proxy stands in between.
    meaning.text('url', 'http://localhost/');
  },
};
