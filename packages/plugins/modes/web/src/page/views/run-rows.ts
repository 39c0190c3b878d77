/** What a run has done, in rows for people. */
import type { RunEvent, RunOutput } from '@tenon/runs/api';

/** One row. */
export interface Row {
  readonly place: number;
  readonly kind: 'text' | 'tool' | 'news' | 'error' | 'raw';
  readonly text: string;
}

const SIGNAL = /(?:^|\n)[ \t]*```signal\b/;
/** Each row is a block: line breaks around it would be empty lines. */
const trimmed = (text: string) => text.replace(/^\n+|\n+$/g, '');
const FENCE = '```';

/** Makes the rows of one run, in the order in which its news come. */
export class RunRows {
  /** What stands between a mark and its end is for the keeper; an answer comes in pieces. */
  #isSignal = false;

  /** What the adapter has understood is shown by events; only the rest is shown as it came. */
  output({ place, stream, text }: RunOutput): Row | undefined {
    return stream === 'stdout' ? undefined : { place, kind: 'raw', text: trimmed(text) };
  }

  event({ place, what }: RunEvent): Row | undefined {
    if (what.type === 'state')
      return { place, kind: 'news', text: `${what.state}${what.message ? `: ${what.message}` : ''}` };
    if (what.type === 'notice') return { place, kind: 'news', text: what.message };
    if (what.type === 'account-switched') return { place, kind: 'news', text: `goes on as ${what.to}: ${what.reason}` };
    if (what.type === 'validation') return { place, kind: 'news', text: `validation: ${what.state}` };
    if (what.type !== 'worker') return undefined;
    const { event } = what;
    if (event.type === 'text') {
      const text = this.#said(event.text);
      return text.trim() === '' ? undefined : { place, kind: 'text', text: trimmed(text) };
    }
    if (event.type === 'tool-start')
      return { place, kind: 'tool', text: `${event.name} ${JSON.stringify(event.input ?? {}).slice(0, 300)}` };
    if (event.type === 'error' || event.type === 'retry') return { place, kind: 'error', text: event.message };
    return undefined;
  }

  #said(text: string): string {
    let said = '';
    let rest = text;
    for (;;) {
      if (this.#isSignal) {
        const end = rest.indexOf(FENCE);
        if (end === -1) return said;
        this.#isSignal = false;
        rest = rest.slice(end + FENCE.length);
      }
      const found = SIGNAL.exec(rest);
      if (!found) return said + rest;
      this.#isSignal = true;
      said += rest.slice(0, found.index);
      rest = rest.slice(found.index + found[0].length);
    }
  }
}
