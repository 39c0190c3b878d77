import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GraphNode, layoutOf, NODE } from '../src/page/views/graph-layout.ts';

/** Graphs as `waves` places them: what a node needs stands in earlier waves. */
const graph = fc
  .array(fc.record({ wave: fc.nat(5), needs: fc.array(fc.nat(20), { maxLength: 4 }) }), { maxLength: 20 })
  .map((drawn): GraphNode[] =>
    drawn.map(({ wave, needs }, index) => ({
      id: `n${index}`,
      wave,
      needs: needs.flatMap((at) => ((drawn[at]?.wave ?? 9) < wave ? [`n${at}`] : [])),
    })),
  );

test('no two nodes overlap, all lie within the picture, and every need is a line from left to right', () => {
  fc.assert(
    fc.property(graph, (nodes) => {
      const { nodes: placed, edges, width, height } = layoutOf(nodes);
      expect(placed.map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
      for (const [index, one] of placed.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(0);
        expect(one.y).toBeGreaterThanOrEqual(0);
        expect(one.x + NODE.width).toBeLessThanOrEqual(width);
        expect(one.y + NODE.height).toBeLessThanOrEqual(height);
        for (const other of placed.slice(index + 1)) {
          const isApart = Math.abs(one.x - other.x) >= NODE.width || Math.abs(one.y - other.y) >= NODE.height;
          expect([one.id, other.id, isApart]).toEqual([one.id, other.id, true]);
        }
      }
      const lines = new Set(edges.map(({ from, to }) => `${from} ${to}`));
      for (const { id, needs } of nodes) for (const before of needs) expect(lines).toContain(`${before} ${id}`);
      const at = new Map(placed.map((node) => [node.id, node]));
      for (const { from, to, path } of edges) {
        expect(at.get(from)?.x).toBeLessThan(at.get(to)?.x ?? 0);
        expect(path).not.toMatch(/NaN|undefined|Infinity/);
      }
    }),
  );
});

test('nodes that wait for each other, and needs that are not there, draw no line and do no harm', () => {
  const { nodes, edges } = layoutOf([
    { id: 'a', needs: ['b', 'none'], wave: 0 },
    { id: 'b', needs: ['a'], wave: 0 },
  ]);
  expect([nodes.length, edges.length]).toEqual([2, 0]);
  expect(layoutOf([])).toMatchObject({ nodes: [], edges: [] });
});
