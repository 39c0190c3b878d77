/** What the events of `amp --stream-json` mean: they have the names of Claude Code's. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { claudeReader } from '../claude/events.ts';

/** Makes a reader for one process. */
export function ampReader(): EventReader {
  const events = claudeReader();
  return {
    textIsAnswer: true,
    banners: [
      // Without a key it waits for a code from the browser. The address carries a token, so nobody sees it.
      /^If your browser does not open/,
      /^https?:\/\/\S*[?&]authToken=/,
      /^When prompted, paste your code here/,
    ],
    // Told at once, so that it can be stopped: nobody will paste a code.
    errors: [/^No API key found\./, /^(?:Error: )?You must be logged in/],
    event: (event, reading) => events.event(event, reading),
    end: (reading) => events.end?.(reading),
  };
}
