/** Parts of the status line that are asked between frames: what they said last is shown, and nobody waits for them. */
import type { Theme } from '@tenon/components';
import { type Logger, messageOf } from '@tenon/kernel';
import type { LatestStatus, StatusItem } from '@tenon/screen-slots/api';
import { plainLine } from '@tenon/wording';

/** Nobody reads a status line more often. */
const AT_MOST_EVERY_MS = 1_000;
/** Who takes longer has nothing to say for now. */
const WAIT_MS = 2_000;

interface Asked {
  text: string | undefined;
  isAsking: boolean;
  /** Asked for meanwhile. */
  isWanted: boolean;
  at: number;
}

/** Keeps the last texts. */
export class AskedItems {
  readonly #asked = new Map<string, Asked>();
  readonly #log: Logger;
  readonly #onChange: () => void;

  constructor(log: Logger, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  /** The part as a frame draws it: what it said last. */
  item(name: string): StatusItem {
    return {
      text: ({ theme }: { readonly theme: Theme }) => {
        const text = this.#asked.get(name)?.text;
        return text === undefined ? undefined : theme.fg('muted', text);
      },
    };
  }

  /** Asks a part again; at most once a second, and one question at a time. */
  ask(name: string, resolve: () => Promise<LatestStatus | undefined>): void {
    const asked = this.#asked.get(name) ?? { text: undefined, isAsking: false, isWanted: false, at: -Infinity };
    this.#asked.set(name, asked);
    if (asked.isAsking) {
      asked.isWanted = true;
      return;
    }
    asked.isAsking = true;
    void this.#ask(name, asked, resolve).finally(() => {
      asked.isAsking = false;
      if (!asked.isWanted) return;
      asked.isWanted = false;
      this.ask(name, resolve);
    });
  }

  async #ask(name: string, asked: Asked, resolve: () => Promise<LatestStatus | undefined>): Promise<void> {
    const pause = asked.at + AT_MOST_EVERY_MS - performance.now();
    if (pause > 0) await after(pause);
    asked.at = performance.now();
    let text: string | undefined;
    try {
      const answer = resolve().then((part) => part?.latest());
      // Answered later, it is asked again by the next occasion.
      text = await Promise.race([answer, after(WAIT_MS)]);
    } catch (fault) {
      this.#log.warn(`the part ${name} of the status line says nothing: ${messageOf(fault)}`);
    }
    const shown = text === undefined || text === '' ? undefined : plainLine(String(text));
    if (shown === asked.text) return;
    asked.text = shown;
    this.#onChange();
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());
}
