/** One entry of a session as HTML. */
import { type AssistantMessage, failureText, type ImageContent, type TextContent } from '@tenon/models/api';
import type { AgentMessage, SessionEntry } from '@tenon/sessions/api';
import { diffMarkup, isDiff, replacement } from './diff.ts';
import { markdown } from './markdown.ts';
import { html, type Markup } from './markup.ts';

/** How an entry is shown: what it is, a line for the tree, and its content. */
export interface EntryView {
  readonly kind: string;
  readonly heading: string;
  readonly summary: string;
  readonly body: Markup;
}

type Content = string | readonly (TextContent | ImageContent)[];

/** What is shown of an entry; nothing for those that only keep state. */
export function viewOf(entry: SessionEntry): EntryView | undefined {
  switch (entry.type) {
    case 'message':
      return messageView(entry.message);
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

function messageView(message: AgentMessage): EntryView {
  switch (message.role) {
    case 'user':
      return { kind: 'user', heading: 'User', ...prose(message.content) };
    case 'assistant':
      return assistantView(message);
    case 'toolResult': {
      const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const diff = (message.details as { diff?: unknown } | undefined)?.diff;
      const shown = typeof diff === 'string' && diff !== '' ? `${texts}\n${diff}` : texts;
      const title = `${message.toolName}: ${message.isError ? 'failed' : 'result'}`;
      const body = html`<details
        class="tool result${message.isError ? ' failed' : ''}"
        ${message.isError && html`open`}
      >
        <summary>${title} <span class="hint">${firstLine(texts)}</span></summary>
        ${codeBlock(shown)}${images(message.content)}
      </details>`;
      return { kind: message.isError ? 'tool failed' : 'tool', heading: '', summary: title, body };
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

function assistantView(message: AssistantMessage): EntryView {
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
    return html`<details class="tool call">
      <summary>${block.name} <span class="hint">${hintOf(block.arguments)}</span></summary>
      ${argumentsMarkup(block.arguments)}
    </details>`;
  });
  const failure =
    stopReason === 'error' || stopReason === 'aborted'
      ? html`<p class="failure">${stopReason === 'aborted' ? 'Stopped' : 'Failed'}: ${failureText(message)}</p>`
      : undefined;
  const cost = usage?.cost?.total ? `, $${usage.cost.total.toFixed(4)}` : '';
  const foot = html`<footer>${provider}/${model}, ${usage?.totalTokens ?? 0} tokens${cost}</footer>`;
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  const calls = content.flatMap((block) => (block.type === 'toolCall' ? [block.name] : []));
  const summary = firstLine(text) || (calls.length > 0 ? `calls ${calls.join(', ')}` : stopReason);
  return { kind: 'assistant', heading: 'Assistant', summary, body: html`${blocks}${failure}${foot}` };
}

const BEFORE = ['oldText', 'old_text', 'old_string', 'before'];
const AFTER = ['newText', 'new_text', 'new_string', 'after'];

function argumentsMarkup(args: Readonly<Record<string, unknown>>): Markup {
  const text = (names: readonly string[]) => names.map((name) => args[name]).find((value) => typeof value === 'string');
  const [before, after] = [text(BEFORE), text(AFTER)] as [string | undefined, string | undefined];
  if (before !== undefined && after !== undefined) {
    const rest = Object.entries(args).filter(([name]) => !BEFORE.includes(name) && !AFTER.includes(name));
    return html`${codeBlock(JSON.stringify(Object.fromEntries(rest), null, 2))}
      <pre><code>${diffMarkup(replacement(before, after))}</code></pre>`;
  }
  const diff = Object.values(args).find((value): value is string => typeof value === 'string' && isDiff(value));
  if (diff !== undefined) return html`<pre><code>${diffMarkup(diff)}</code></pre>`;
  return codeBlock(JSON.stringify(args, null, 2));
}

function codeBlock(text: string): Markup {
  return html`<pre><code>${isDiff(text) ? diffMarkup(text) : text}</code></pre>`;
}

function prose(content: Content): Pick<EntryView, 'summary' | 'body'> {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const pictures = typeof content === 'string' ? undefined : images(content);
  return {
    summary: firstLine(text),
    body: html`<div class="prose">${markdown(text)}</div>
      ${pictures}`,
  };
}

function folded(title: string, text: string): Pick<EntryView, 'summary' | 'body'> {
  return {
    summary: firstLine(text),
    body: html`<details class="tool">
      <summary>${title}</summary>
      <div class="prose">${markdown(text)}</div>
    </details>`,
  };
}

function line(kind: string, text: string): EntryView {
  return { kind, heading: '', summary: text, body: html`<p>${text}</p>` };
}

function images(content: readonly (TextContent | ImageContent)[]): Markup {
  const pictures = content.filter(
    (part): part is ImageContent => part.type === 'image' && /^image\/[\w.+-]+$/.test(part.mimeType),
  );
  return html`${pictures.map(({ data, mimeType }) => html`<img alt="image" src="data:${mimeType};base64,${data.replace(/[^\w+/=]/g, '')}" />`)}`;
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

function hintOf(args: Readonly<Record<string, unknown>>): string {
  const value = args['path'] ?? args['command'] ?? args['pattern'] ?? args['query'] ?? Object.values(args)[0];
  return typeof value === 'string' ? firstLine(value) : '';
}
