/** A unified diff, line by line. Where a review is under way, lines can be commented on. */
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { addComment, reviewOf } from '../state/comments.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';

const MAX_LINES = 2_000;
const PAGE_LINES = 20;

/** A diff. `review` names what comments are about: `session:ID` or `run:ID`. */
export function Diff({ text, review }: { readonly text: string; readonly review?: string }): VNode {
  const all = useMemo(() => diffLines(text), [text]);
  const lines = all.slice(0, MAX_LINES);
  const more = all.length > MAX_LINES && <p class="facts">… {all.length - MAX_LINES} more lines</p>;
  if (review !== undefined) return <Reviewed lines={lines} review={review} more={more} />;
  return (
    <>
      <pre class="diff" tabIndex={0} aria-label="Changes">
        {lines.map(({ kind, text: line }) => (
          <span class={`diff-${kind}`}>{`${line}\n`}</span>
        ))}
      </pre>
      {more}
    </>
  );
}

interface ReviewedProps {
  readonly lines: readonly DiffLine[];
  readonly review: string;
  readonly more: VNode | false;
}

/** A list in which keys choose a line: one stop for Tab, however long it is. */
function Reviewed({ lines, review, more }: ReviewedProps): VNode {
  const id = useId();
  const [chosen, setChosen] = useState(-1);
  const [isWriting, setWriting] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { comments } = reviewOf(review);
  const commented = new Set(comments.map(({ file, line, code }) => `${file}:${line}:${code}`));
  const target = lines[chosen];
  const choose = (index: number) => {
    const next = Math.max(0, Math.min(index, lines.length - 1));
    setChosen(next);
    box.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + PAGE_LINES,
      PageUp: chosen - PAGE_LINES,
      Home: 0,
      End: lines.length - 1,
    };
    const next = moves[event.key];
    const isEnter = event.key === 'Enter' || event.key === ' ';
    if (next === undefined && !isEnter) return;
    event.preventDefault();
    if (next !== undefined) choose(next);
    else if (isCommentable(target)) setWriting(true);
  };
  const close = () => {
    setWriting(false);
    box.current?.focus();
  };
  return (
    <>
      <div
        ref={box}
        class="diff reviewed"
        role="listbox"
        aria-label="Changes. Choose a line and press Enter to comment on it"
        tabIndex={0}
        {...(target && { 'aria-activedescendant': `${id}-${chosen}` })}
        onKeyDown={onKey}
      >
        {lines.map((line, index) => (
          <div
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class={`diff-${line.kind}${commented.has(placeOf(line)) ? ' commented' : ''}`}
            onClick={() => {
              // A selection is for copying.
              if (String(getSelection()) !== '') return;
              setChosen(index);
              setWriting(isCommentable(line));
            }}
          >
            <span class="diff-number" aria-hidden="true">
              {line.number ?? ''}
            </span>
            <span class="diff-text">{line.text}</span>
          </div>
        ))}
      </div>
      {more}
      {isWriting && isCommentable(target) && <CommentField key={chosen} line={target} review={review} close={close} />}
    </>
  );
}

type Commentable = DiffLine & Required<Pick<DiffLine, 'file' | 'number'>>;

function isCommentable(line: DiffLine | undefined): line is Commentable {
  return line?.file !== undefined && line.number !== undefined;
}

const placeOf = ({ file, number, text }: DiffLine) => `${file}:${number}:${text}`;

function CommentField(props: { readonly line: Commentable; readonly review: string; close(): void }): VNode {
  const { line, review, close } = props;
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  // At once, so that no key goes elsewhere.
  useLayoutEffect(() => field.current?.focus(), []);
  const add = () => {
    if (text.trim() === '') return;
    addComment(review, { file: line.file, line: line.number, code: line.text, text: text.trim() });
    close();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    add();
  };
  return (
    <div class="comment-field">
      <label>
        <span class="facts">
          {line.file}, line {line.number}
        </span>
        <textarea
          rows={2}
          ref={field}
          value={text}
          placeholder="What should be different? Enter adds the comment"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <div class="choices">
        <button type="button" disabled={text.trim() === ''} onClick={add}>
          Add comment
        </button>
        <button type="button" class="quiet" onClick={close}>
          Leave it
        </button>
      </div>
    </div>
  );
}
