/** Which sessions work for which: subagents ask in the name of the session that started them. */

/** How a subagent's session belongs to another one. */
export interface Kinship {
  /** The session that it works for. */
  readonly parent: string;
  /** What people call the subagent. */
  readonly label: string;
  /** True when both work in the same folder, so that what was allowed there holds here. */
  readonly sharesFolder: boolean;
}

/** The sessions of subagents that are at work. */
export class Kin {
  readonly #parents = new Map<string, Kinship>();

  /** Notes a subagent; the function that it gives forgets it. */
  adopt(session: string, kinship: Kinship): () => void {
    this.#parents.set(session, kinship);
    return () => {
      if (this.#parents.get(session) === kinship) this.#parents.delete(session);
    };
  }

  /** What people call the subagent of a session; nothing for a session that a person talks to. */
  labelOf(session: string): string | undefined {
    return this.#parents.get(session)?.label;
  }

  /** The session and those that it works for, nearest first. */
  lineOf(session: string): readonly string[] {
    return this.#walk(session, () => true);
  }

  /** Those of them that work in the same folder: a yes to one of them is a yes to the others. */
  sharing(session: string): readonly string[] {
    return this.#walk(session, ({ sharesFolder }) => sharesFolder);
  }

  #walk(session: string, goesOn: (kinship: Kinship) => boolean): readonly string[] {
    const line = [session];
    for (let kinship = this.#parents.get(session); kinship && goesOn(kinship);) {
      if (line.includes(kinship.parent)) break;
      line.push(kinship.parent);
      kinship = this.#parents.get(kinship.parent);
    }
    return line;
  }
}
