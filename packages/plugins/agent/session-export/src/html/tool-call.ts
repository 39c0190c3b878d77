/** A call of a tool together with its result. */
import type { ToolCallContent, ToolResultMessage } from '@tenon/models/api';
import { afterOf, argumentsMarkup, beforeOf, hintOf } from './arguments.ts';
import { codeBlock, diffMarkup, isDiff, replacement } from './diff.ts';
import { images } from './images.ts';
import { html, type Markup } from './markup.ts';
import { firstLine } from './first-line.ts';
import { phasesIn, planMarkup } from './plan.ts';

/** A call, what it was given, and what came back if that is known. Changes, plans and failures are open. */
export function callMarkup(call: ToolCallContent, result?: ToolResultMessage): Markup {
  const { name, arguments: args } = call;
  const phases = phasesIn(result?.details);
  const diffs = diffsIn(result?.details);
  const isChange = diffs.length > 0 || isWrittenChange(args);
  const isOpen = result?.isError === true || phases !== undefined || isChange;
  const state = result === undefined ? 'no result' : result.isError ? 'failed' : firstLine(textOf(result));
  // Plans and diffs say what the arguments say, and better.
  const isRepeated = phases !== undefined || diffs.length > 0;
  const given = argumentsMarkup(args, { withChange: diffs.length === 0 });
  return html`<details class="tool call${result?.isError && ' failed'}" ${isOpen && html`open`}>
    <summary>
      <b>${name}</b> <span class="subject">${hintOf(args)}</span> <span class="hint">${phases ? '' : state}</span>
    </summary>
    ${diffs.map((diff) => change(diff))} ${isRepeated ? folded('Arguments', given) : given}
    ${phases ? planMarkup(phases) : result && output(result, diffs.length > 0 && !result.isError)}
  </details>`;
}

/** A result whose call is not shown beside it. */
export function resultMarkup(result: ToolResultMessage): Markup {
  const phases = phasesIn(result.details);
  const diffs = diffsIn(result.details);
  const isOpen = result.isError || phases !== undefined || diffs.length > 0;
  return html`<details class="tool result${result.isError && ' failed'}" ${isOpen && html`open`}>
    <summary>${resultTitle(result)} <span class="hint">${firstLine(textOf(result))}</span></summary>
    ${diffs.map((diff) => change(diff))} ${phases ? planMarkup(phases) : output(result, false)}
  </details>`;
}

/** What a result is called. */
export function resultTitle({ toolName, isError }: ToolResultMessage): string {
  return `${toolName}: ${isError ? 'failed' : 'result'}`;
}

function output(result: ToolResultMessage, isFolded: boolean): Markup {
  const text = textOf(result);
  const content = html`${text !== '' && codeBlock(text)}${images(result.content)}`;
  // Beside a diff the text mostly repeats it with anchors.
  return isFolded
    ? folded('Result', content)
    : html`<h3>Result</h3>
        ${content}`;
}

function folded(title: string, content: Markup): Markup {
  return html`<details class="more">
    <summary>${title}</summary>
    ${content}
  </details>`;
}

function change(diff: string): Markup {
  return html`<pre><code>${diffMarkup(diff.replace(/^Index: .*\n=+\n/, ''))}</code></pre>`;
}

function textOf({ content }: ToolResultMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The diffs that a tool leaves in its details: one, or one for each file. */
function diffsIn(details: unknown): string[] {
  const { diff, perFileResults } = (details ?? {}) as { diff?: unknown; perFileResults?: unknown };
  if (typeof diff === 'string' && diff !== '') return [diff];
  return Array.isArray(perFileResults) ? perFileResults.flatMap(diffsIn) : [];
}

function isWrittenChange(args: Readonly<Record<string, unknown>>): boolean {
  const [before, after] = [beforeOf(args), afterOf(args)];
  if (before !== undefined && after !== undefined) return replacement(before, after) !== '';
  return Object.values(args).some((value) => typeof value === 'string' && isDiff(value));
}
