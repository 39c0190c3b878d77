/** The comments that wait to be sent to an agent. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { clearReview, removeComment, reviewOf, setWhole } from '../state/comments.ts';
import { reviewText } from '../state/review-text.ts';
import { counted } from './words.ts';

/** What was written so far. `send` gives false when it could not be sent. */
export function ReviewPanel(props: {
  readonly target: string;
  /** Shown also while there is no comment on a line. */
  readonly isAlwaysOpen?: boolean;
  send(text: string): Promise<boolean>;
}): VNode | null {
  const { target, isAlwaysOpen = false, send } = props;
  const [isSending, setSending] = useState(false);
  const review = reviewOf(target);
  const { comments, whole } = review;
  if (comments.length === 0 && whole === '' && !isAlwaysOpen) return null;
  const submit = async () => {
    setSending(true);
    if (await send(reviewText(review))) clearReview(target);
    setSending(false);
  };
  return (
    <form
      class="review"
      aria-label="Comments for the agent"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {comments.length > 0 && (
        <ul>
          {comments.map(({ file, line, text }, index) => (
            <li key={`${index}-${file}-${line}`}>
              <span class="facts">
                {file}:{line}
              </span>{' '}
              {text}{' '}
              <button
                type="button"
                class="quiet small"
                aria-label={`Remove the comment on ${file}, line ${line}`}
                onClick={() => removeComment(target, index)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="composer">
        <textarea
          rows={2}
          aria-label="About the changes as a whole"
          placeholder="About the changes as a whole"
          value={whole}
          onInput={(event) => setWhole(target, event.currentTarget.value)}
        />
        <div class="composer-buttons">
          <button type="submit" disabled={isSending || (comments.length === 0 && whole.trim() === '')}>
            {comments.length > 0 ? `Send ${counted(comments.length, 'comment')}` : 'Send'}
          </button>
        </div>
      </div>
    </form>
  );
}
