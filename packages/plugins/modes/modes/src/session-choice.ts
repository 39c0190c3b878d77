/** Which session the flags ask for. */
import type { CommandCall } from '@tenon/command-line/api';
import type { Session, SessionStore } from '@tenon/sessions/api';
import { errors } from './errors.ts';

const SESSION_FLAGS = ['continue', 'resume', 'fork', 'session', 'no-session'] as const;

/** The flag that says which session, and its value. */
export interface SessionChoice {
  readonly flag: (typeof SESSION_FLAGS)[number];
  readonly value: string | undefined;
}

/** Reads the flags; nothing when a new session is meant. */
export function sessionChoice(flags: CommandCall['flags']): SessionChoice | undefined {
  const chosen = SESSION_FLAGS.filter((flag) => flags[flag] !== undefined && flags[flag] !== false);
  if (chosen.length > 1) throw errors.create('MODES_SESSION_FLAGS', { flags: chosen.map((flag) => `--${flag}`) });
  const [flag] = chosen;
  const value = flag === undefined ? undefined : flags[flag];
  return flag && { flag, value: typeof value === 'string' ? value : undefined };
}

/** Whether the user wants to choose the session from a list. */
export function wantsList(choice: SessionChoice | undefined): boolean {
  return choice?.flag === 'resume' && choice.value === '';
}

/** Opens the session that was asked for; a new one without a choice. */
export async function openSession(
  store: SessionStore,
  choice: SessionChoice | undefined,
  cwd: string,
  tell: (text: string) => void | Promise<void>,
): Promise<Session> {
  switch (choice?.flag) {
    case 'no-session':
      return store.inMemory({ cwd });
    case 'resume':
      return store.open(choice.value ?? '');
    case 'session':
      return store.openOrCreate(choice.value ?? '', { cwd });
    case 'continue': {
      const recent = await store.continueRecent(cwd);
      if (!recent) await tell('There is no session to continue in this folder; a new one is started.\n');
      return recent ?? store.create({ cwd });
    }
    case 'fork': {
      const original = await store.open(choice.value ?? '', { readOnly: true });
      try {
        return await store.fork(original, { cwd });
      } finally {
        await original.close();
      }
    }
    default:
      return store.create({ cwd });
  }
}
