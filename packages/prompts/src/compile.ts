/** How a template is made from its source. The built program has `precompiled.ts` in its place, and no compiler. */
import Handlebars from 'handlebars';

/** Compiles a template. */
export function templateOf(source: string): (values: object) => string {
  return Handlebars.compile(source, { noEscape: true });
}
