/** The parser of a CLI that writes one JSON object per line; what the objects mean is the adapter's. */
import { byteText } from '@tenon/wording';
import type { ParserContext, WorkerParser } from '../api.ts';
import { type Fields, readLine } from './fields.ts';
import { type Line, LineCutter } from './lines.ts';
import { isBanner, isErrorLine, type LinePatterns } from './patterns.ts';
import type { EndRules } from './ending.ts';
import { Reading } from './reading.ts';
import { prepareStructured } from './structured.ts';

/** What an adapter brings to understand its CLI. */
export interface EventReader extends LinePatterns, EndRules {
  /** True when text without any event is an answer: some options of the CLI switch events off. */
  readonly textIsAnswer?: boolean;
  /** An object from standard output. */
  event(event: Fields, reading: Reading): void;
  /** A line of standard error that is no banner. */
  stderr?(line: string, reading: Reading): void;
  /** The process has ended; called before the outcome is made. */
  end?(reading: Reading): void;
}

/** Makes a parser. */
export function eventParser(context: ParserContext, reader: EventReader, maxLine?: number): WorkerParser {
  const reading = new Reading(context);
  const cutters = { stdout: new LineCutter(maxLine), stderr: new LineCutter(maxLine) };

  let hasEvents = false;
  const standard = ({ text, dropped }: Line) => {
    if (dropped > 0) {
      reading.warning(`A line of ${byteText(text.length + dropped)} was left out: it is longer than any event.`);
      return;
    }
    const line = readLine(text);
    if (line.kind === 'event') {
      hasEvents = true;
      reader.event(line.event, reading);
    }
    if (line.kind !== 'text' || isBanner(line.text, reader)) return;
    reading.noiseTail.add(line.text);
    if (isErrorLine(line.text, reader)) reading.fail(reading.classify({ text: line.text }));
  };
  const error = ({ text }: Line) => {
    if (text.trim() === '' || isBanner(text, reader)) return;
    reading.errorTail.add(text);
    reader.stderr?.(text, reading);
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
      reader.end?.(reading);
      const text = reading.noiseTail.text.trim();
      if (reader.textIsAnswer === true && !hasEvents && text !== '' && exit.code === 0 && !reading.failure) {
        reading.text(text);
        reading.answerIs(text);
        reading.isFinished = true;
      }
      return reading.conclude(exit, reader);
    },
  };
}
