/** Where the nodes of a graph stand: a column for each wave, and lines between them. */

/** What is placed. */
export interface GraphNode {
  readonly id: string;
  readonly needs: readonly string[];
  readonly wave: number;
}

/** A node with the place of its upper left corner. */
export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

/** A graph that can be drawn. */
export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
  readonly width: number;
  readonly height: number;
}

/** The size of a node. */
export const NODE = { width: 190, height: 62 } as const;
const GAP = { x: 56, y: 16 } as const;
const EDGE = 8;

/** Places the nodes. */
export function layoutOf(nodes: readonly GraphNode[]): GraphLayout {
  const columns = columnsOf(nodes);
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const step = { x: NODE.width + GAP.x, y: NODE.height + GAP.y };
  const places = new Map<string, PlacedNode>();
  columns.forEach((column, wave) => {
    const top = ((rows - column.length) * step.y) / 2;
    column.forEach(({ id }, row) => places.set(id, { id, x: EDGE + wave * step.x, y: EDGE + top + row * step.y }));
  });
  const edges = nodes.flatMap(({ id, needs }) =>
    [...new Set(needs)].flatMap((before) => {
      const [from, to] = [places.get(before), places.get(id)];
      // A circle has no direction that could be drawn.
      return from && to && from.x < to.x ? [{ from: before, to: id, path: curve(from, to) }] : [];
    }),
  );
  return {
    nodes: nodes.flatMap(({ id }) => places.get(id) ?? []),
    edges,
    width: Math.max(0, columns.length * step.x - GAP.x) + 2 * EDGE,
    height: Math.max(0, rows * step.y - GAP.y) + 2 * EDGE,
  };
}

/** The waves; a node stands near to what it needs, so that few lines cross. */
function columnsOf(nodes: readonly GraphNode[]): readonly (readonly GraphNode[])[] {
  const waves = [...new Set(nodes.map(({ wave }) => wave))].sort((a, b) => a - b);
  const row = new Map<string, number>();
  return waves.map((wave) => {
    const own = nodes.filter((node) => node.wave === wave);
    const pull = ({ needs }: GraphNode, index: number) => {
      const known = needs.flatMap((id) => row.get(id) ?? []);
      return known.length === 0 ? index : known.reduce((sum, at) => sum + at, 0) / known.length;
    };
    const sorted = own
      .map((node, index) => ({ node, at: pull(node, index), index }))
      .sort((a, b) => a.at - b.at || a.index - b.index)
      .map(({ node }) => node);
    sorted.forEach(({ id }, index) => row.set(id, index - sorted.length / 2));
    return sorted;
  });
}

function curve(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}
