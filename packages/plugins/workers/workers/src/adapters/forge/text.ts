/** What the text of `forge --prompt` means: marked lines say what it does, the rest is the answer. */
import type { TextRules } from '../../parsing/text-parser.ts';

/** `● [21:06:54] Initialize ID`, `⏺ [21:06:55] Execute [/bin/sh] …`. */
const MARKED = /^\s*[●⏺⬤•]\s*\[\d\d:\d\d:\d\d\]\s+(\S.*)$/;

/** The rules. */
export const forgeText: TextRules = {
  session:
    /\b(?:Initialize|Continue|Resume|Conversation(?: ID)?:?)\s+([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/i,
  errors: [/^\s*(?:ERROR|error):? /, /^\s*[●⏺⬤•]?\s*\[\d\d:\d\d:\d\d\] ERROR:? /],
  line(line, reading) {
    const said = MARKED.exec(line)?.[1];
    if (said === undefined || /^ERROR\b/.test(said)) return false;
    // What it does has no ids and no end: it is shown, and is no part of the answer.
    reading.thinking(`${said}\n`, true);
    return true;
  },
};
