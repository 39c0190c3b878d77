/** A command that cannot be carried out; the sentence says why and what to do instead. */
export class VimError extends Error {}
