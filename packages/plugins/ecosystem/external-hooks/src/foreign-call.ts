/** A call of one of our tools under the name, and with the fields, that another tool gives it. */
import { isDeepStrictEqual } from 'node:util';
import type { ToolFacts } from './occasion.ts';
import { inputFrom, kindOf, type ToolView, type ViewKind, viewsOf } from './tool-views.ts';

/** What a kind of call is in a dialect. */
export interface ForeignTool {
  readonly name: string;
  /** Other names that matchers know it by. */
  readonly aliases?: readonly string[];
  /** The fields of its input, and what they are of the view. Without them the input stays as it is. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The tools of a dialect. Those that are missing keep our names. */
export type ForeignTools = Readonly<Partial<Record<ViewKind, ForeignTool>>>;

/** A call in the words of a dialect. */
export interface ForeignCall {
  readonly name: string;
  /** All names that matchers know it by. */
  readonly names: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
  readonly view: ToolView;
}

/** Fields that say nothing about what is done. */
const REMARKS = new Set(['description', 'prompt']);

/** The calls that a call of ours is in a dialect. */
export function foreignCalls(tools: ForeignTools, facts: ToolFacts, cwd: string): readonly ForeignCall[] {
  return viewsOf(facts, cwd).map((view) => {
    const foreign = tools[view.kind];
    const name = foreign?.name ?? facts.tool;
    const names = [name, ...(foreign?.aliases ?? [])];
    if (!foreign?.fields) return { name, names, input: facts.input, view };
    const input = Object.fromEntries(
      Object.entries(foreign.fields).flatMap(([theirs, ours]) =>
        view.values[ours] === undefined ? [] : [[theirs, view.values[ours]]],
      ),
    );
    return { name, names, input, view };
  });
}

/** The names that a dialect has for one of our tools. */
export function foreignNames(tools: ForeignTools, tool: string): readonly string[] {
  const foreign = tools[kindOf(tool)];
  return [foreign?.name ?? tool, ...(foreign?.aliases ?? [])];
}

/** Our input for what a hook made of a call; undefined when it changed something that our tool has no word for. */
export function ownInput(
  tools: ForeignTools,
  facts: ToolFacts,
  call: ForeignCall,
  updated: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const fields = tools[call.view.kind]?.fields;
  const changed = Object.entries(updated).filter(([key, value]) => !isDeepStrictEqual(call.input[key], value));
  if (changed.length === 0) return { ...facts.input };
  if (!fields) return { ...facts.input, ...updated };
  const values: Record<string, unknown> = { ...call.view.values };
  for (const [key, value] of changed) {
    const ours = fields[key];
    if (ours !== undefined) values[ours] = value;
    else if (!REMARKS.has(key)) return undefined;
  }
  return inputFrom(facts, call.view, { kind: call.view.kind, values });
}
