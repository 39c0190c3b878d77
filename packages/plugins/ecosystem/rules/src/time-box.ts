/** Limits how long code that cannot be interrupted otherwise may take: patterns that somebody wrote into a file. */
import { createContext, Script } from 'node:vm';

/** Wall-clock time: a busy machine must not make an innocent pattern look bad. */
const LIMIT_MS = 500;

const context = createContext({ work: (): unknown => undefined });
const script = new Script('work()');

/** What the work gives, or undefined when it took too long and was stopped. It must not await and must not be nested. */
export function timeBoxed<T>(work: () => T, limitMs = LIMIT_MS): { readonly value: T } | undefined {
  context['work'] = work;
  try {
    return { value: script.runInContext(context, { timeout: limitMs }) as T };
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw fault;
  } finally {
    context['work'] = undefined;
  }
}
