/** The graph of a workflow for people. */
import { counted } from '@tenon/wording';
import { type Definition, kindOf, KINDS, type NodeDefinition } from './definition.ts';
import { nodeState } from './plan.ts';
import type { WorkflowState } from './state.ts';

/** As a Mermaid flowchart; with a state, each node says where it stands. */
export function mermaid({ nodes }: Definition, state?: WorkflowState): string {
  const label = (node: NodeDefinition) => {
    const where = state ? `<br/>${nodeState(state, node)}` : '';
    return `${node.id}<br/>${kindOf(node)}${node.each === undefined ? '' : ' for each'}${where}`;
  };
  return [
    'flowchart LR',
    ...nodes.map((node) => `  ${node.id}["${label(node)}"]`),
    ...nodes.flatMap(({ id, needs = [] }) => needs.map((before) => `  ${before} --> ${id}`)),
    '',
  ].join('\n');
}

/** The nodes in the order in which they can begin, in groups that can run at the same time. */
export function waves({ nodes }: Definition): readonly (readonly NodeDefinition[])[] {
  const left = new Set(nodes);
  const done = new Set<string>();
  const groups: NodeDefinition[][] = [];
  while (left.size > 0) {
    const ready = [...left].filter(({ needs = [] }) => needs.every((id) => done.has(id)));
    // A journal that somebody has changed may hold a circle: what is in it comes last, all at once.
    const group = ready.length > 0 ? ready : [...left];
    for (const node of group) {
      left.delete(node);
      done.add(node.id);
    }
    groups.push(group);
  }
  return groups;
}

/** What a workflow would do, for a dry run. */
export function outline(definition: Definition): string {
  const rows = waves(definition).flatMap((group, index) =>
    group.map((node) => {
      const text = String(KINDS.map((kind) => node[kind]).find((value) => value !== undefined)).split('\n', 1)[0] ?? '';
      const about = [
        ...(node.each === undefined ? [] : ['for each']),
        ...(node.when === undefined ? [] : [`when ${node.when}`]),
        ...(node.retries === undefined ? [] : [counted(node.retries, 'retry', 'retries')]),
      ];
      return `${index + 1}. ${node.id} (${[kindOf(node), ...about].join(', ')}): ${text}`;
    }),
  );
  return `${definition.name}\n${rows.join('\n')}\n`;
}
