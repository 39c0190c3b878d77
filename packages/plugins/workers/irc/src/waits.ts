/** Who waits for whose answer. Answers come from beside an agent's work, so that a circle stops nobody; everyone in it is told. */

/** One agent that waits for another. */
export interface Wait {
  /** True when the other one waits for this one as well, directly or through others. */
  readonly isCrossed: boolean;
  end(): void;
}

interface Edge {
  readonly waiter: string;
  readonly target: string;
  isCrossed: boolean;
}

/** The waits of this process, and those of others for agents of this one. */
export class Waits {
  readonly #edges = new Set<Edge>();

  /** Notes a wait until it is ended. */
  begin(waiter: string, target: string): Wait {
    const edge: Edge = { waiter, target, isCrossed: false };
    this.#edges.add(edge);
    const circle = waiter === target ? [] : this.#path(target, waiter);
    if (circle) for (const member of [edge, ...circle]) member.isCrossed = circle.length > 0;
    return {
      get isCrossed() {
        return edge.isCrossed;
      },
      end: () => void this.#edges.delete(edge),
    };
  }

  /** Waits that lead from one agent to another; nothing when there is no way. */
  #path(from: string, to: string, seen: ReadonlySet<string> = new Set([from])): readonly Edge[] | undefined {
    for (const edge of this.#edges) {
      if (edge.waiter !== from) continue;
      if (edge.target === to) return [edge];
      if (seen.has(edge.target)) continue;
      const rest = this.#path(edge.target, to, new Set([...seen, edge.target]));
      if (rest) return [edge, ...rest];
    }
    return undefined;
  }
}
