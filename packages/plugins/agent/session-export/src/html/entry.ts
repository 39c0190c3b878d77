/** One entry of a session as HTML. */
import {
  type AssistantMessage,
  failureText,
  type ImageContent,
  type TextContent,
  type ToolResultMessage,
} from '@tenon/models/api';
import type { AgentMessage, SessionEntry } from '@tenon/sessions/api';
import { hintOf } from './arguments.ts';
import { codeBlock } from './diff.ts';
import { images } from './images.ts';
import { markdown, titleOf } from './markdown.ts';
import { html, type Markup } from './markup.ts';
import { callMarkup, resultMarkup, resultTitle } from './tool-call.ts';

/** How an entry is shown: what it is, a line for the tree, and its content. */
export interface EntryView {
  readonly kind: string;
  readonly heading: string;
  readonly summary: string;
  readonly body: Markup;
}

type Content = string | readonly (TextContent | ImageContent)[];

/** The results that are shown with their calls, by the id of the call. */
export type ResultsOfCalls = ReadonlyMap<string, ToolResultMessage>;

/** What is shown of an entry; nothing for those that only keep state. */
export function viewOf(entry: SessionEntry, results: ResultsOfCalls = new Map()): EntryView | undefined {
  switch (entry.type) {
    case 'message':
      return messageView(entry.message, results);
    case 'custom_message':
      if (!entry.display) return undefined;
      return { kind: 'note', heading: entry.customType, ...prose(entry.content) };
    case 'compaction':
      return {
        kind: 'summary',
        heading: `Summary (${entry.tokensBefore} tokens before)`,
        ...folded('Summary', entry.summary),
      };
    case 'branch_summary':
      return { kind: 'summary', heading: 'Summary of another branch', ...folded('Summary', entry.summary) };
    case 'model_change':
      return line('change', `Model: ${entry.model}`);
    case 'thinking_level_change':
      return line('change', `Thinking: ${entry.thinkingLevel}`);
    case 'mode_change':
      return line('change', `Mode: ${entry.mode}`);
    case 'session_init':
      return { kind: 'note', heading: 'Task', ...prose(entry.task) };
    default:
      return undefined;
  }
}

function messageView(message: AgentMessage, results: ResultsOfCalls): EntryView {
  switch (message.role) {
    case 'user':
      return { kind: 'user', heading: 'User', ...prose(message.content) };
    case 'assistant':
      return assistantView(message, results);
    case 'toolResult': {
      const kind = message.isError ? 'tool failed' : 'tool';
      return { kind, heading: '', summary: resultTitle(message), body: resultMarkup(message) };
    }
    case 'bashExecution': {
      const state = message.cancelled ? 'stopped' : `exit code ${message.exitCode ?? 'unknown'}`;
      const body = html`<details class="tool">
        <summary>$ ${message.command} <span class="hint">${state}</span></summary>
        ${codeBlock(message.output)}
      </details>`;
      return { kind: 'tool', heading: '', summary: `$ ${message.command}`, body };
    }
    case 'fileMention': {
      const names = message.files.map(({ path }) => path).join(', ');
      const files = message.files.map(
        ({ path, content, image }) =>
          html`<details class="tool">
            <summary>${path}</summary>
            ${image ? images([image]) : codeBlock(content)}
          </details>`,
      );
      return { kind: 'user', heading: 'Files', summary: names, body: html`${files}` };
    }
    case 'custom':
      return { kind: 'note', heading: message.customType, ...prose(message.content) };
    case 'branchSummary':
    case 'compactionSummary':
      return { kind: 'summary', heading: 'Summary', ...folded('Summary', message.summary) };
  }
}

function assistantView(message: AssistantMessage, results: ResultsOfCalls): EntryView {
  const { content, model, provider, usage, stopReason } = message;
  const blocks = content.map((block): Markup => {
    if (block.type === 'text') return html`<div class="prose">${markdown(block.text)}</div>`;
    if (block.type === 'thinking') {
      const text = block.redacted ? 'The provider hides this thought.' : block.thinking;
      return html`<details class="thinking">
        <summary>Thinking</summary>
        <div class="prose">${markdown(text)}</div>
      </details>`;
    }
    return callMarkup(block, results.get(block.id));
  });
  const failure =
    stopReason === 'error' || stopReason === 'aborted'
      ? html`<p class="failure">${stopReason === 'aborted' ? 'Stopped' : 'Failed'}: ${failureText(message)}</p>`
      : undefined;
  const cost = usage?.cost?.total ? `, $${usage.cost.total.toFixed(4)}` : '';
  const tokens = usage?.totalTokens ? `, ${usage.totalTokens} tokens` : '';
  const foot = html`<footer>${provider}/${model}${tokens}${cost}</footer>`;
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  const calls = content.flatMap((block) =>
    block.type === 'toolCall' ? [`${block.name} ${hintOf(block.arguments)}`.trim()] : [],
  );
  const summary = titleOf(text) || calls.join(', ') || stopReason;
  return { kind: 'assistant', heading: 'Assistant', summary, body: html`${blocks}${failure}${foot}` };
}

function prose(content: Content): Pick<EntryView, 'summary' | 'body'> {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const pictures = typeof content === 'string' ? undefined : images(content);
  return {
    summary: titleOf(text),
    body: html`<div class="prose">${markdown(text)}</div>
      ${pictures}`,
  };
}

function folded(title: string, text: string): Pick<EntryView, 'summary' | 'body'> {
  return {
    summary: titleOf(text),
    body: html`<details class="tool">
      <summary>${title}</summary>
      <div class="prose">${markdown(text)}</div>
    </details>`,
  };
}

function line(kind: string, text: string): EntryView {
  return { kind, heading: '', summary: text, body: html`<p>${text}</p>` };
}
