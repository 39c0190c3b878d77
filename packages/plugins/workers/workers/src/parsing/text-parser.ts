/** The parser of a CLI that writes text: all of it but banners is the answer. */
import { stripVTControlCharacters } from 'node:util';
import type { ParserContext, WorkerParser } from '../api.ts';
import { type Line, LineCutter } from './lines.ts';
import { isBanner, isErrorLine, type LinePatterns } from './patterns.ts';
import type { EndRules } from './ending.ts';
import { Reading } from './reading.ts';
import { prepareStructured } from './structured.ts';
import { findUsage } from './usage.ts';

/** What is known about the text of a CLI. */
export interface TextRules extends LinePatterns, EndRules {
  /** Its first group is the session. */
  readonly session?: RegExp;
  /** Takes a line that is no part of the answer: numbers, progress. True when it did. */
  line?(line: string, reading: Reading): boolean;
}

/** Makes a parser. Styles and other control sequences are no part of the text. */
export function textParser(context: ParserContext, rules: TextRules = {}): WorkerParser {
  const reading = new Reading(context);
  const cutters = { stdout: new LineCutter(), stderr: new LineCutter() };
  let hasText = false;
  let blank = 0;

  const standard = ({ text }: Line) => {
    const line = stripVTControlCharacters(text);
    reading.session(rules.session?.exec(line)?.[1]);
    if (isBanner(line, rules) || rules.line?.(line, reading) === true) return;
    if (line.trim() === '') {
      // Blank lines count only between others.
      blank += hasText ? 1 : 0;
      return;
    }
    if (/^\s*\{/.test(line)) takeUsage(line, reading);
    else if (isErrorLine(line, rules)) reading.fail(reading.classify({ text: line }));
    const part = `${hasText ? '\n'.repeat(blank + 1) : ''}${line}`;
    hasText = true;
    blank = 0;
    reading.text(part, true);
    reading.answerGoesOn(part);
  };
  const error = ({ text }: Line) => {
    const line = stripVTControlCharacters(text);
    reading.session(rules.session?.exec(line)?.[1]);
    if (line.trim() !== '' && !isBanner(line, rules)) reading.errorTail.add(line);
  };
  const take = (lines: readonly Line[], stream: 'stdout' | 'stderr') =>
    lines.forEach(stream === 'stdout' ? standard : error);

  const ready = prepareStructured(context.schema);
  return {
    ...(ready && { ready }),
    push(piece, stream) {
      take(cutters[stream].push(piece), stream);
      return reading.takeEvents();
    },
    end(exit) {
      take(cutters.stdout.end(), 'stdout');
      take(cutters.stderr.end(), 'stderr');
      // Such a CLI often says on standard output why it failed.
      if (reading.lastWords() === '')
        for (const line of reading.answer.split('\n').slice(-20)) reading.noiseTail.add(line);
      return reading.conclude(exit, { endsWithoutEvent: true, ...rules });
    },
  };
}

/** Some CLIs end their text with a line of numbers. */
function takeUsage(line: string, reading: Reading): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // A line of text that begins with a brace.
    return;
  }
  const usage = findUsage(value);
  if (usage) reading.used(usage);
}
