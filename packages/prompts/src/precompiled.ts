/** Takes the place of `compile.ts` in the built program, where the module of a Markdown file holds a compiled template. */
import type Compiler from 'handlebars';
import * as runtime from 'handlebars/runtime.js';

// The package's types do not describe its runtime, and its default export depends on the build tool.
const { template } = ((runtime as { default?: unknown }).default ?? runtime) as Pick<typeof Compiler, 'template'>;

/** Makes a template of what the build compiled. */
export function templateOf(source: string): (values: object) => string {
  return template(source as unknown as TemplateSpecification);
}
