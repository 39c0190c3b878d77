/**
 * Takes the place of `compile.ts` in the built program, where the module of a Markdown file holds a compiled template. The package's own runtime is ten
 * times as large, and a start would load it for `if`, `unless` and `each`, which is all that texts for models use; the build refuses other helpers.
 */
type Values = Readonly<Record<string, unknown>>;
type Data = Values | undefined;
/** A part of a template for what it is about. */
type Part = (context: unknown, options?: { readonly data?: Data }) => unknown;
type Compiled = (
  container: object,
  context: unknown,
  helpers: object,
  partials: object,
  data: Data,
  blockParams: undefined,
  depths: readonly unknown[],
) => unknown;
interface Template {
  readonly main: Compiled;
  readonly [part: number]: Compiled;
}
interface Block {
  readonly fn: Part;
  readonly inverse: Part;
  readonly data?: Data;
}

/** What templates find false: also 0, and a list of nothing. */
function isNothing(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

const helpers = {
  if(this: unknown, value: unknown, { fn, inverse }: Block): unknown {
    return isNothing(value) ? inverse(this) : fn(this);
  },
  unless(this: unknown, value: unknown, { fn, inverse }: Block): unknown {
    return isNothing(value) ? fn(this) : inverse(this);
  },
  each(this: unknown, list: unknown, { fn, inverse, data }: Block): unknown {
    const entries = typeof list === 'object' && list !== null ? Object.entries(list) : [];
    if (entries.length === 0) return inverse(this);
    const of = (key: string, index: number): Data => ({
      ...data,
      key: Array.isArray(list) ? index : key,
      index,
      first: index === 0,
      last: index === entries.length - 1,
    });
    return entries.map(([key, value], index) => String(fn(value, { data: of(key, index) }) ?? '')).join('');
  },
};

/** Makes a template of what the build compiled. */
export function templateOf(source: string): (values: object) => string {
  const template = source as unknown as Template;
  const container = {
    nullContext: {},
    noop: () => '',
    lambda: (value: unknown, context: unknown): unknown => (typeof value === 'function' ? value.call(context) : value),
    /** Only what an object itself has: nothing of what it inherits. */
    lookupProperty: (parent: object, name: string): unknown =>
      Object.hasOwn(parent, name) ? (parent as Values)[name] : undefined,
    program(
      part: number,
      data: Data,
      _count?: number,
      _blockParams?: undefined,
      depths: readonly unknown[] = [],
    ): Part {
      return (context, { data: own = data } = {}) => {
        const around = context === depths[0] ? depths : [context, ...depths];
        return (template[part] as Compiled)(container, context, helpers, {}, own, undefined, around);
      };
    },
  };
  return (values) => String(template.main(container, values, helpers, {}, { root: values }, undefined, [values]));
}
