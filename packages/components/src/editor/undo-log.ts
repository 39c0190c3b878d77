/** What can be undone, in steps that a person would name: a run of typing, a paste, a kill. */
import { type Change, compare, endOf, type Position } from './positions.ts';

/** Sorts of changes; neighbouring changes of the first two sorts become one step. */
export type ChangeKind = 'type' | 'erase' | 'other';

interface Step {
  kind: ChangeKind;
  readonly changes: Change[];
  readonly before: Position;
  after: Position;
}

/** A step, as the buffer plays it. */
export type UndoStep = Readonly<Omit<Step, 'kind'>>;

const MOST_STEPS = 1000;

/** Steps that were done and undone. */
export class UndoLog {
  #done: Step[] = [];
  #undone: Step[] = [];
  #isSealed = true;
  #groups = 0;
  #groupHasStep = false;

  /** Notes a change; `before` and `after` are where the caret was. */
  add(change: Change, kind: ChangeKind, before: Position, after: Position): void {
    this.#undone = [];
    const last = this.#done.at(-1);
    if (last && this.#groups > 0 && this.#groupHasStep) {
      last.changes.push(change);
      last.after = after;
      return;
    }
    if (last && !this.#isSealed && last.kind === kind && join(last, change)) {
      last.after = after;
      return;
    }
    this.#done.push({ kind, changes: [change], before, after });
    if (this.#done.length > MOST_STEPS) this.#done.shift();
    this.#groupHasStep = this.#groups > 0;
    this.#isSealed = kind === 'other' || this.#groups > 0;
  }

  /** Ends a run: what comes next is a step of its own. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Until `close`, all changes are one step. */
  open(): void {
    if (this.#groups === 0) this.#groupHasStep = false;
    this.#groups += 1;
  }

  /** Ends what `open` began. */
  close(): void {
    this.#groups = Math.max(0, this.#groups - 1);
    this.#isSealed = true;
  }

  /** The step to take back. */
  undo(): UndoStep | undefined {
    return this.#move(this.#done, this.#undone);
  }

  /** The step to do again. */
  redo(): UndoStep | undefined {
    return this.#move(this.#undone, this.#done);
  }

  /** Forgets all steps. */
  clear(): void {
    this.#done = [];
    this.#undone = [];
    this.#isSealed = true;
    this.#groupHasStep = false;
  }

  #move(from: Step[], to: Step[]): Step | undefined {
    const step = from.pop();
    if (step) to.push(step);
    this.#isSealed = true;
    this.#groupHasStep = false;
    return step;
  }
}

/** Lengthens the step's last change, if the new one continues it. */
function join(step: Step, change: Change): boolean {
  const last = step.changes.at(-1);
  if (!last) return false;
  const joined = step.kind === 'type' ? joinTyped(last, change) : joinErased(last, change);
  if (joined) step.changes[step.changes.length - 1] = joined;
  return joined !== undefined;
}

function joinTyped(last: Change, next: Change): Change | undefined {
  if (next.removed !== '' || compare(endOf(last.at, last.inserted), next.at) !== 0) return undefined;
  return { ...last, inserted: last.inserted + next.inserted };
}

function joinErased(last: Change, next: Change): Change | undefined {
  if (last.inserted !== '' || next.inserted !== '') return undefined;
  if (compare(endOf(next.at, next.removed), last.at) === 0) return { ...next, removed: next.removed + last.removed };
  return compare(next.at, last.at) === 0 ? { ...last, removed: last.removed + next.removed } : undefined;
}
