/** What a workflow is made of, as data. */
import { checkValue, type JsonSchema, problemText, type Static, Type } from '@tenon/kernel';
import { nearest } from '@tenon/wording';
import { shellPlaces } from './shell-text.ts';

const text = (description: string) => Type.String({ description, minLength: 1 });
const optional = Type.Optional;

const Node = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$', description: 'Its name' }),
    needs: optional(Type.Array(Type.String(), { description: 'Nodes that come before it' })),
    when: optional(text('Runs only if this holds, e.g. `tests.code != 0`; otherwise it is skipped')),
    each: optional(
      Type.Union([Type.Array(Type.Unknown()), Type.String()], {
        description: 'Runs once for each item of a list, or of the list that a path leads to',
      }),
    ),
    agent: optional(text("A task for Tenon's own agent")),
    worker: optional(text('A task for another coding agent')),
    with: optional(text('Which worker; the preferred one when absent')),
    command: optional(text('A command line, run by sh in the sandbox')),
    validate: optional(Type.Boolean({ description: "Builds and tests with the project's own commands" })),
    approve: optional(text('A question for a person')),
    merge: optional(
      Type.Array(Type.String(), { description: 'Applies the changes of these nodes, one after the other' }),
    ),
    model: optional(Type.String()),
    worktree: optional(Type.Boolean({ description: 'An agent or worker works in a worktree of its own' })),
    output: optional(Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of what an agent gives' })),
    check: optional(
      text(
        'For an agent or worker: a command line that must succeed where it worked; if not, the next retry is told why',
      ),
    ),
    retries: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    backoff: optional(
      Type.String({ pattern: '^\\d+(ms|s|m|h)$', description: 'Wait before the first retry; doubles each time' }),
    ),
    timeout: optional(Type.String({ pattern: '^\\d+(ms|s|m|h)$' })),
    key: optional(text('Nodes with the same key never run at the same time')),
    mayFail: optional(Type.Boolean({ description: 'What needs it goes on when it fails' })),
  },
  { additionalProperties: false },
);

/** A node as it is written. */
export type NodeDefinition = Static<typeof Node>;

const Definition = Type.Object(
  {
    name: text('What it is called'),
    description: optional(Type.String()),
    inputs: optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z]\\w{0,63}$' }),
        Type.Object(
          { description: optional(Type.String()), default: optional(Type.String()) },
          { additionalProperties: false },
        ),
      ),
    ),
    concurrency: optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many nodes run at the same time' }),
    ),
    budget: optional(
      Type.Object(
        { usd: optional(Type.Number({ exclusiveMinimum: 0 })) },
        { additionalProperties: false, description: 'When it is spent, nothing more is begun' },
      ),
    ),
    nodes: Type.Array(Node, { minItems: 1, maxItems: 500 }),
  },
  { additionalProperties: false },
);

/** A workflow as it is written. */
export type Definition = Static<typeof Definition>;

/** The schema of definitions, for editors and docs. */
export const definitionSchema: JsonSchema = Definition;

/** The kinds of nodes; each node is exactly one. */
export const KINDS = ['agent', 'worker', 'command', 'validate', 'approve', 'merge'] as const;

/** What a node does. */
export type NodeKind = (typeof KINDS)[number];

/** The kind of a node of a checked definition. */
export function kindOf(node: NodeDefinition): NodeKind {
  return KINDS.find((kind) => node[kind] !== undefined) ?? 'command';
}

/** What is wrong with a value that should be a definition; nothing when all is well. */
export async function problemsOf(value: unknown): Promise<readonly string[]> {
  const shape = await checkValue(Definition, value);
  if (shape.length > 0) return [problemText(shape)];
  const { nodes } = value as Definition;
  const ids = nodes.map(({ id }) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two nodes are called "${id}"`),
    ...nodes.flatMap((node) => nodeProblems(node, ids)),
    ...cycleIn(nodes),
  ];
}

/** The nearest name, within a sentence that goes on. */
export function meant(name: string, names: readonly string[]): string {
  const close = nearest(name, names);
  return close === undefined ? '' : ` (did you mean "${close}"?)`;
}

/** What texts name beside nodes. */
const RESERVED: ReadonlySet<string> = new Set(['inputs', 'item']);

function nodeProblems(node: NodeDefinition, ids: readonly string[]): string[] {
  const problems: string[] = [];
  const kinds = KINDS.filter((kind) => node[kind] !== undefined);
  if (kinds.length !== 1) problems.push(`node "${node.id}" must have exactly one of ${KINDS.join(', ')}`);
  for (const other of [...(node.needs ?? []), ...(node.merge ?? [])])
    if (!ids.includes(other))
      problems.push(`node "${node.id}" needs "${other}", which is not there${meant(other, ids)}`);
  for (const merged of node.merge ?? [])
    if (!(node.needs ?? []).includes(merged))
      problems.push(`node "${node.id}" merges "${merged}" and must also need it`);
  if (RESERVED.has(node.id)) problems.push(`a node cannot be called "${node.id}": texts mean something else by it`);
  for (const { path, within } of [node.command ?? '', node.check ?? ''].flatMap(shellPlaces))
    if (within === 'unsafe')
      problems.push(
        `node "${node.id}" has {{${path}}} where sh could read its value as a command; put it into a variable at the beginning of the command, and use that variable in double quotes`,
      );
  if (node.check !== undefined && node.agent === undefined && node.worker === undefined)
    problems.push(`node "${node.id}" has a check, but is neither an agent nor a worker`);
  if (node.with !== undefined && node.worker === undefined)
    problems.push(`node "${node.id}" names a worker with \`with\`, but is none`);
  return problems;
}

/** Nodes that wait for each other. */
function cycleIn(nodes: readonly NodeDefinition[]): string[] {
  const needs = new Map(nodes.map(({ id, needs: before = [] }) => [id, before]));
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): string | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id].join(' → ');
    if (done.has(id)) return undefined;
    for (const before of needs.get(id) ?? []) {
      const cycle = visit(before, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const { id } of nodes) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return [`these nodes wait for each other: ${cycle}`];
  }
  return [];
}

/** The longest time that a timer can hold: 24 days. A longer one would ring at once. */
const LONGEST = 2 ** 31 - 1;

/** A time like `90s` in milliseconds. */
export function milliseconds(time: string): number {
  const [, amount = '0', unit = 's'] = /^(\d+)(ms|s|m|h)$/.exec(time) ?? [];
  return Math.min(LONGEST, Number(amount) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? 1_000));
}
