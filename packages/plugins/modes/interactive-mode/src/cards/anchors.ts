/** Line anchors are for models: people read the numbers. */

const ANCHORED = /^([ >*+-]?)(\s*\d+)[a-z]{2}([|:-])/gm;
const NUMBERED = /^(\s*\d+)\|/gm;

/** `41th|text` as `41 text`; other lines stay. */
export function withoutAnchors(text: string): string {
  return text.replace(ANCHORED, '$1$2 ').replace(NUMBERED, '$1 ');
}
