/** Keeps the files before calls that may change them, and writes down what they changed. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Approvals } from '@tenon/approval/api';
import { isBelow } from '@tenon/host';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { ToolCallEvent, TouchedCommand } from '@tenon/tools/api';
import { counted, cutText, plainLine } from '@tenon/wording';
import { bytePath } from './byte-paths.ts';
import { errors } from './errors.ts';
import type { MadeFor } from './records.ts';
import type { Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** What the guard works with. */
export interface GuardParts {
  readonly workspaces: Workspaces;
  /** The folder of calls outside of a session. */
  readonly cwd: string;
  readonly waitSeconds: number;
  readonly required: boolean;
  readonly log: Logger;
  /** Nothing where commands cannot be judged. */
  judge(command: TouchedCommand): Promise<Awaited<ReturnType<Approvals['judgeCommand']>> | undefined>;
  /** For a session of a subagent: the calls that it works for. */
  madeFor(session: string): Promise<readonly MadeFor[]>;
  /** Puts an error into the report of this run. */
  report(error: TenonError): void;
  /** Tells the user, in the session if there is one. */
  tell(session: string | undefined, text: string): Promise<void>;
}

type Refusal = { readonly deny: string } | undefined;

const TITLE_CHARS = 200;

/** Watches calls. */
export class Guard {
  readonly #parts: GuardParts;
  readonly #running = new Map<string, { readonly workspace: Workspace; readonly id: number }>();
  /** What each session was told already. */
  readonly #told = new Set<string>();

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** Before a call: keeps the files unless the call is proven to change none. */
  async before(event: ToolCallEvent, signal: AbortSignal): Promise<Refusal> {
    const { workspaces, waitSeconds, required } = this.#parts;
    if (!(await this.#mayChange(event))) return undefined;
    const { scope } = event;
    try {
      const workspace = await workspaces.of(scope?.cwd ?? this.#parts.cwd);
      const only = await declaredPaths(event, workspace.root);
      // Everything that it changes lies elsewhere.
      if (only?.length === 0) return undefined;
      const madeFor = scope ? await this.#parts.madeFor(scope.session) : [];
      const deadline = performance.now() + waitSeconds * 1000;
      const { id, pending } = await workspace.locked(
        () =>
          workspace.begin(
            {
              kind: 'call',
              tool: event.tool,
              title: titleOf(event),
              callId: event.callId,
              ...(scope && { session: scope.session }),
              ...(madeFor.length > 0 && { madeFor }),
              ...(only && { only }),
            },
            deadline,
          ),
        signal,
      );
      this.#running.set(keyOf(event), { workspace, id });
      if (pending > 0) await this.#tellPending(event, pending);
      return undefined;
    } catch (fault) {
      signal.throwIfAborted();
      const code = fault instanceof TenonError ? fault.code : 'UNDO_SNAPSHOT_FAILED';
      const folder = scope?.cwd ?? this.#parts.cwd;
      const error =
        code === 'UNDO_NO_WORKSPACE' && fault instanceof TenonError
          ? fault
          : errors.create('UNDO_SNAPSHOT_FAILED', { reason: messageOf(fault), folder }, fault);
      if (required) return { deny: `${error.message} ${error.next ?? ''}`.trim() };
      const isNew = await this.#tellOnce(event, code, `${error.message} The call goes on; it cannot be undone.`);
      if (isNew) this.#parts.report(error);
      return undefined;
    }
  }

  /** After a call, however it ended: what is different now was its doing. */
  async after(event: ToolCallEvent): Promise<void> {
    const key = keyOf(event);
    const running = this.#running.get(key);
    if (!running) return;
    this.#running.delete(key);
    const { workspace, id } = running;
    const { waitSeconds, log } = this.#parts;
    try {
      await workspace.locked(() => workspace.end(id, performance.now() + waitSeconds * 1000));
    } catch (fault) {
      log.warn('what a call changed could not be written down', { callId: event.callId, error: fault });
      await this.#tellOnce(
        event,
        'after',
        `What "${event.tool}" changed could not be written down: ${messageOf(fault)}`,
      );
    }
  }

  async #mayChange({ touches }: ToolCallEvent): Promise<boolean> {
    if (touches.anything === true || touches.writes !== undefined) return true;
    for (const command of touches.commands ?? []) {
      if (command.language !== undefined && command.language !== 'shell') return true;
      const judgement = await this.#parts.judge(command);
      // Only a proof counts: every word was understood, and nothing of it changes anything.
      if (judgement?.tier !== 0 || !judgement.understood) return true;
    }
    return false;
  }

  async #tellPending(event: ToolCallEvent, pending: number): Promise<void> {
    const text = `${counted(pending, 'file')} could not be kept yet: this is the first snapshot of a large folder. A call that changes them now cannot be undone for them.`;
    await this.#tellOnce(event, 'pending', text);
  }

  async #tellOnce({ scope }: ToolCallEvent, what: string, text: string): Promise<boolean> {
    const key = `${scope?.session ?? ''}\0${what}`;
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    await this.#parts.tell(scope?.session, `Undo: ${text}`);
    return true;
  }
}

function keyOf({ scope, callId }: ToolCallEvent): string {
  return `${scope?.session ?? ''}\0${callId}`;
}

/** The paths that a call declared, when it can change nothing else. */
async function declaredPaths({ touches }: ToolCallEvent, root: string): Promise<string[] | undefined> {
  const { writes, commands = [], anything } = touches;
  if (anything === true || commands.length > 0 || writes === undefined || writes.length === 0) return undefined;
  const real = await Promise.all(writes.map(realPaths));
  return real
    .flat()
    .filter((path) => isBelow(path, root))
    .map((path) => bytePath(relative(root, path)));
}

/** Where a path leads, and where its own name is: either may change when it is written. */
async function realPaths(path: string): Promise<string[]> {
  const target = await realpath(path).catch(() => undefined);
  let folder = dirname(path);
  let rest = basename(path);
  for (;;) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined) return [...new Set([join(real, rest), ...(target === undefined ? [] : [target])])];
    if (folder === dirname(folder)) return [path];
    // A folder that the call makes.
    rest = join(basename(folder), rest);
    folder = dirname(folder);
  }
}

/** One line that says what the call does. */
function titleOf({ touches, tool }: ToolCallEvent): string {
  const text = touches.commands?.[0]?.text ?? touches.writes?.join(' ') ?? tool;
  return cutText(plainLine(text.trim()), TITLE_CHARS);
}
