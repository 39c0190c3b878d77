/** How tools write results: bounded, with notices, and with failures that say what to do next. */
import { TenonError } from '@tenon/kernel';
import type { Tool, ToolResult } from './api.ts';

/** The most text that one result carries. */
export const MAX_OUTPUT_BYTES = 50 * 1024;

/** A result of one text. */
export function textResult(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text }], ...(details && { details }) };
}

/** Turns errors of a catalogue, which are expected, into results; defects and cancellation stay exceptions. */
export function explainFailures(tool: Tool): Tool {
  return {
    ...tool,
    async execute(input, call) {
      try {
        return await tool.execute(input, call);
      } catch (fault) {
        if (!(fault instanceof TenonError)) throw fault;
        return { ...textResult(failureText(fault), { error: { code: fault.code } }), isError: true };
      }
    },
  };
}

/** What went wrong and what to do. A failure that ends with a path, a command or words of another program gets no full stop, which could be taken for a part of them. */
export function failureText({ message, next }: TenonError): string {
  if (next === '') return message;
  return `${message}${/[.!?]$/.test(message) ? ' ' : '\n'}${next}`;
}

/** As many lines from the start as fit, never part of a line unless the first alone is too long. */
export function fitLines(
  lines: readonly string[],
  maxBytes: number = MAX_OUTPUT_BYTES,
): { readonly lines: readonly string[]; readonly isCut: boolean } {
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) {
      return { lines: index > 0 ? lines.slice(0, index) : [cutBytes(line, maxBytes)], isCut: true };
    }
  }
  return { lines, isCut: false };
}

function cutBytes(text: string, maxBytes: number): string {
  // A character cut in half decodes to U+FFFD at the end; it is taken off.
  return `${Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}…`;
}
