/** What a call asks for: one action, or several in order. */
import { Type } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Everything that the tool can do. */
export const ACTIONS = [
  'open',
  'goto',
  'back',
  'forward',
  'reload',
  'tabs',
  'close',
  'observe',
  'click',
  'hover',
  'type',
  'fill',
  'press',
  'select',
  'upload',
  'drag',
  'scroll',
  'extract',
  'get_text',
  'get_html',
  'get_attribute',
  'screenshot',
  'run',
  'wait_for',
  'console',
  'network',
  'downloads',
] as const;

/** One of `ACTIONS`. */
export type Action = (typeof ACTIONS)[number];

/** When a navigation counts as done. */
export type WaitUntil = 'load' | 'domcontentloaded' | 'networkidle' | 'networkidle0' | 'networkidle2' | 'commit';

/** One action with its input. */
export interface Step {
  readonly action: Action;
  readonly name?: string;
  readonly url?: string;
  readonly wait_until?: WaitUntil;
  readonly viewport?: { readonly width: number; readonly height: number; readonly scale?: number };
  readonly dialogs?: 'accept' | 'dismiss';
  readonly target?: string;
  readonly id?: string | number;
  readonly selector?: string;
  readonly to_id?: string | number;
  readonly to_selector?: string;
  readonly text?: string;
  readonly submit?: boolean;
  readonly key?: string;
  readonly values?: readonly string[];
  readonly files?: readonly string[];
  readonly attribute?: string;
  readonly dx?: number;
  readonly dy?: number;
  readonly visible?: boolean;
  readonly full_page?: boolean;
  readonly path?: string;
  readonly code?: string;
  readonly state?: 'visible' | 'hidden';
  readonly filter?: string;
  readonly limit?: number;
  readonly all?: boolean;
}

/** Not a union of literals: some model providers only know `enum`, and its errors are short. */
const choice = <Value extends string>(values: readonly Value[], description?: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], ...(description !== undefined && { description }) });
const oneOf = (values: readonly string[], description?: string) => Type.Optional(choice(values, description));
const text = (description: string) => Type.Optional(Type.String({ description }));
const id = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Integer()], { description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const STEP = {
  name: text('The tab; "main" when absent'),
  url: text('open, goto: the address. wait_for: part of the address to wait for'),
  wait_until: oneOf(['load', 'domcontentloaded', 'networkidle', 'networkidle0', 'networkidle2', 'commit']),
  viewport: Type.Optional(
    Type.Object(
      {
        width: Type.Integer({ minimum: 100, maximum: 4096 }),
        height: Type.Integer({ minimum: 100, maximum: 4096 }),
        scale: Type.Optional(Type.Number({ minimum: 0.5, maximum: 3 })),
      },
      { additionalProperties: false },
    ),
  ),
  dialogs: oneOf(['accept', 'dismiss'], 'open: what is done with alert, confirm and prompt; dismiss when absent'),
  target: text('open, for a connected browser: part of the address or title of a page that is there'),
  id: id('Element of the last observe: e5'),
  selector: text('CSS, text=…, xpath=… or role=…'),
  to_id: id('drag: where to'),
  to_selector: text('drag: where to'),
  text: text('type, fill: what to write. wait_for: text to wait for'),
  submit: flag('type, fill: press Enter afterwards'),
  key: text('press: Enter, Escape, ArrowDown, Control+A, …'),
  values: texts('select: values or labels'),
  files: texts('upload: paths'),
  attribute: text('get_attribute: its name'),
  dx: Type.Optional(Type.Number({ description: 'scroll: pixels to the right' })),
  dy: Type.Optional(Type.Number({ description: 'scroll: pixels down' })),
  visible: flag('observe: only what is in the viewport'),
  full_page: flag('screenshot: the whole page'),
  path: text('screenshot: also write it to this file, as PNG'),
  code: text('run: JavaScript, body of an async function'),
  state: oneOf(['visible', 'hidden'], 'wait_for: what the element shall be'),
  filter: text('console, network: only lines with this text'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'console, network: how many lines' })),
  all: flag('close: end the browser'),
};

const action = choice(ACTIONS);

/** The most steps of one call. */
export const MAX_STEPS = 50;

/** The schema of the tool's input. */
export const parameters = Type.Object(
  {
    action: Type.Optional(action),
    ...STEP,
    steps: Type.Optional(
      Type.Array(Type.Object({ action, ...STEP }, { additionalProperties: false }), {
        maxItems: MAX_STEPS,
        description: 'Several actions in order, instead of action',
      }),
    ),
    timeout: Type.Optional(Type.Number({ description: 'Seconds for the whole call, 1 to 120' })),
  },
  { additionalProperties: false },
);

/** The actions of a call in order. Fields beside `steps` hold for every step that does not give them: usually the tab's name. */
export function stepsOf(input: Readonly<Record<string, unknown>>): readonly Step[] {
  const { steps, timeout: _timeout, ...rest } = input as { steps?: readonly Step[]; timeout?: number } & Partial<Step>;
  if (steps === undefined || steps.length === 0) {
    if (rest.action === undefined) throw errors.create('BROWSER_NO_ACTION');
    return [rest as Step];
  }
  if (rest.action !== undefined)
    throw errors.create('BROWSER_INPUT', {
      action: rest.action,
      problem: 'stands beside steps, and only one of the two can be given',
    });
  return steps.map((step) => ({ ...(rest.name !== undefined && { name: rest.name }), ...step }));
}
