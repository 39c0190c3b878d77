/** Workflows for other plugins: what there is, and what a person wants of one. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { Workflows } from './api.ts';
import { alone, type CommandParts, isBusy, retryFailed } from './commands/workflow.ts';
import { cancel, Driver } from './driver.ts';
import { errors } from './errors.ts';
import { findWorkflow, type Journal, openJournal, readState, workflowIds } from './journal.ts';
import { graphOf, summaryOf, type WorkflowSummary } from './overview.ts';
import type { WorkflowState } from './state.ts';
import { leaveWish } from './wishes.ts';

/** How long a process that stops may take to let go of a workflow. */
const HAND_OVER_MS = 5_000;

/** The service, for the process that it is part of. */
export interface Steering extends Workflows {
  /** Resolves when this process works on none any more. */
  settled(): Promise<void>;
}

/** Makes the service. Whoever asks for an answer or a retry works on the workflow itself, in this process, until it ends or waits again. */
export function steerWorkflows(parts: CommandParts, signal: AbortSignal): Steering {
  const { workflows: folder, log } = parts;
  const working = new Set<Promise<unknown>>();
  const known = new Map<string, { readonly mark: string; readonly summary: WorkflowSummary }>();

  /** Reads a journal only if it has changed since. */
  const summary = async (id: string): Promise<WorkflowSummary> => {
    const { size, mtimeMs } = await journalOf(folder, id);
    const mark = `${size}-${mtimeMs}`;
    const before = known.get(id);
    if (before?.mark === mark) return before.summary;
    const now = { mark, summary: summaryOf(await readState(folder, id), new Date(mtimeMs).toISOString()) };
    known.set(id, now);
    return now.summary;
  };

  /** Changes a workflow, gives back control, and goes on with it. */
  const goOn = async (id: string, change: (journal: Journal) => Promise<void>, waitMs?: number): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      let isChanged = false;
      const work = alone(
        parts,
        id,
        async () => {
          const journal = await openJournal(folder, id);
          await change(journal);
          isChanged = true;
          resolve();
          const tell = (line: string) => log.debug(`${id}: ${line}`);
          return new Driver(journal, { ...parts, folder: join(folder, id), tell }, signal).drive();
        },
        waitMs,
      )
        .catch((fault: unknown) => {
          if (isChanged) log.error(`workflow ${id} stopped: ${messageOf(fault)}`, { error: fault });
          else reject(fault);
        })
        .finally(() => working.delete(work));
      working.add(work);
    });
  };

  /** Leaves an answer for the process that works on it. One that stops at this very moment would not see it: then this one goes on. */
  const leaveAnswer = async (id: string, step: string, answer: string): Promise<void> => {
    await leaveWish(join(folder, id), { type: 'answer', step, answer });
    // Whoever is still at work after that looks for answers all the time.
    goOn(id, async () => undefined, HAND_OVER_MS).catch((fault: unknown) => {
      if (!isBusy(fault)) log.error(`workflow ${id} does not go on: ${messageOf(fault)}`, { error: fault });
    });
  };

  const answered = async (name: string, step: string, answer: string): Promise<void> => {
    const id = await findWorkflow(folder, name);
    const isAsking = ({ state, steps }: WorkflowState) => state === 'active' && steps.get(step)?.state === 'asking';
    const gone = () => errors.create('WORKFLOWS_NO_QUESTION', { node: step, id, hint: '' });
    if (!isAsking(await readState(folder, id))) throw gone();
    try {
      await goOn(id, async (journal) => {
        // The first answer counts.
        if (!isAsking(journal.state)) throw gone();
        await journal.add({ type: 'answered', step, answer });
      });
    } catch (fault) {
      if (!isBusy(fault)) throw fault;
      await leaveAnswer(id, step, answer);
    }
  };

  return {
    async list() {
      const all: WorkflowSummary[] = [];
      const damaged: { id: string; problem: string }[] = [];
      for (const id of await workflowIds(folder)) {
        try {
          all.push(await summary(id));
        } catch (fault) {
          damaged.push({ id, problem: messageOf(fault) });
        }
      }
      return { workflows: all.sort((a, b) => (a.began < b.began ? 1 : -1)), damaged };
    },
    async details(name) {
      const id = await findWorkflow(folder, name);
      const changed = new Date((await journalOf(folder, id)).mtimeMs).toISOString();
      const state = await readState(folder, id);
      const isActive = state.state === 'active';
      return {
        ...summaryOf(state, changed),
        inputs: state.inputs,
        graph: graphOf(state),
        isWorkedOn: isActive && (await isLocked(parts, id)),
      };
    },
    answer: answered,
    continue: async (name) =>
      goOn(await findWorkflow(folder, name), async ({ state }) => {
        if (state.state !== 'active') throw errors.create('WORKFLOWS_OVER', { id: state.id, state: state.state });
      }),
    retry: async (name) => goOn(await findWorkflow(folder, name), retryFailed),
    async cancel(name) {
      const id = await findWorkflow(folder, name);
      try {
        await alone(parts, id, async () => {
          const journal = await openJournal(folder, id);
          const { state } = journal.state;
          if (state !== 'active') throw errors.create('WORKFLOWS_OVER', { id, state });
          await cancel(journal, parts);
        });
      } catch (fault) {
        if (!isBusy(fault)) throw fault;
        await leaveWish(join(folder, id), { type: 'cancel' });
      }
    },
    async settled() {
      await Promise.all(working);
    },
  };
}

const journalOf = (folder: string, id: string) => stat(join(folder, id, 'journal.jsonl'));

/** Whether a process works on it. One that was killed holds no lock: taking it over is the proof. */
async function isLocked(parts: CommandParts, id: string): Promise<boolean> {
  try {
    await alone(parts, id, async () => undefined, 0);
    return false;
  } catch (fault) {
    if (!isBusy(fault)) throw fault;
    return true;
  }
}
