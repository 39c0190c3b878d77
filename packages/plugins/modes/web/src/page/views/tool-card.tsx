/** A call of a tool and its result. */
import type { VNode } from 'preact';
import { type Message, type Part, type RunningTool, textOf } from '../state/conversation.ts';
import { Diff } from './diff.tsx';
import { isDiff } from './diff-lines.ts';

/** A call with its result; without one it still runs, or was stopped. */
export function ToolCard(props: {
  readonly call: Part;
  readonly result: Message | undefined;
  readonly running: RunningTool | undefined;
  /** What comments on its changes are about. */
  readonly review?: string;
}): VNode {
  const { call, result, running, review } = props;
  const text = result ? textOf(result.content ?? '') : (running?.text ?? '');
  const diff = diffOf(result);
  const state = result ? (result.isError ? 'failed' : 'done') : running ? 'running' : 'stopped';
  return (
    <details class={`tool ${state}`} open={running !== undefined || diff !== undefined}>
      <summary>
        <span class="tool-name">{call.name}</span> <span class="tool-title">{titleOf(call.arguments)}</span>
        <span class="tool-state">{state}</span>
      </summary>
      <pre class="tool-input" tabIndex={0}>
        {JSON.stringify(call.arguments, undefined, 2)}
      </pre>
      {diff === undefined ? (
        text !== '' && (
          <pre class="tool-output" tabIndex={0}>
            {text}
          </pre>
        )
      ) : (
        <Diff text={diff} {...(review !== undefined && { review })} />
      )}
      <Images content={result?.content ?? ''} />
    </details>
  );
}

/** Pictures of a message. */
export function Images({ content }: { readonly content: string | readonly Part[] }): VNode {
  const images = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image');
  return (
    <>
      {images.map(({ data, mimeType }) => (
        <img src={`data:${mimeType};base64,${data}`} alt="A picture of the conversation" />
      ))}
    </>
  );
}

/** What the call does in one line: its first text. */
function titleOf(args: unknown): string {
  const values = typeof args === 'object' && args !== null ? Object.values(args) : [];
  const first = values.flat().find((value): value is string => typeof value === 'string');
  return (first ?? '').split('\n', 1)[0]?.slice(0, 160) ?? '';
}

function diffOf(result: Message | undefined): string | undefined {
  const details = result?.details as { readonly diff?: unknown; readonly files?: unknown } | undefined;
  if (typeof details?.diff === 'string') return details.diff;
  const files = Array.isArray(details?.files) ? (details.files as { readonly diff?: unknown }[]) : [];
  const diffs = files.flatMap((file) => (typeof file?.diff === 'string' ? [file.diff] : []));
  if (diffs.length > 0) return diffs.join('\n');
  const text = result ? textOf(result.content ?? '') : '';
  return isDiff(text) ? text : undefined;
}
