/** The plan of a session: `plan://`, a Markdown file beside the session. */
import { TenonError } from '@tenon/kernel';
import type { UrlRouter } from '@tenon/urls/api';

const PLAN_URL = 'plan://';
/** What is shown and told of a plan. */
export const MAX_PLAN_CHARS = 60_000;

/** Whose plan. */
export interface PlanScope {
  readonly session: string;
  readonly cwd: string;
}

/** Reads and writes plans. */
export class PlanFiles {
  readonly #urls: () => Promise<UrlRouter>;

  constructor(urls: () => Promise<UrlRouter>) {
    this.#urls = urls;
  }

  /** The plan; nothing when none was written. */
  async read(scope: PlanScope): Promise<string | undefined> {
    const signal = new AbortController().signal;
    try {
      const { content } = await (await this.#urls()).read(PLAN_URL, { signal, scope });
      return content.trim() === '' ? undefined : content.slice(0, MAX_PLAN_CHARS);
    } catch (fault) {
      if (fault instanceof TenonError && fault.code === 'URLS_NOT_FOUND') return undefined;
      throw fault;
    }
  }

  async write(scope: PlanScope, plan: string): Promise<void> {
    const signal = new AbortController().signal;
    await (await this.#urls()).write(PLAN_URL, plan.endsWith('\n') ? plan : `${plan}\n`, { signal, scope });
  }
}

/** Whether a call writes the plan and nothing else. */
export function writesPlan(input: Readonly<Record<string, unknown>>): boolean {
  const { path } = input;
  return typeof path === 'string' && /^plan:\/\/(?:plan\.md|current)?$/i.test(path.trim());
}
