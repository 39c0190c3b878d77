/** Comments on changes: collected, kept in this browser, and sent to the agent as its next message. */
import { signal } from '@preact/signals';
import type { Comment, Review } from './review-text.ts';

const NONE: Review = { comments: [], whole: '' };
const keyOf = (target: string) => `tenon-review-${target}`;
const reviews = signal<Readonly<Record<string, Review>>>({});

/** What was written about a session (`session:ID`) or run (`run:ID`) so far. */
export function reviewOf(target: string): Review {
  return reviews.value[target] ?? stored(target);
}

/** Adds a comment; another one on the same line is put beside it. */
export function addComment(target: string, comment: Comment): void {
  const { comments, whole } = reviewOf(target);
  keep(target, { comments: [...comments, comment], whole });
}

/** Takes a comment back. */
export function removeComment(target: string, index: number): void {
  const { comments, whole } = reviewOf(target);
  keep(target, { comments: comments.filter((_, at) => at !== index), whole });
}

/** Changes what is said about all of it. */
export function setWhole(target: string, whole: string): void {
  keep(target, { ...reviewOf(target), whole });
}

/** All of it was sent. */
export function clearReview(target: string): void {
  keep(target, NONE);
}

function keep(target: string, review: Review): void {
  reviews.value = { ...reviews.value, [target]: review };
  if (review.comments.length === 0 && review.whole === '') localStorage.removeItem(keyOf(target));
  else localStorage.setItem(keyOf(target), JSON.stringify(review));
}

function stored(target: string): Review {
  try {
    const { comments, whole } = JSON.parse(localStorage.getItem(keyOf(target)) ?? '') as Partial<Review>;
    return { comments: Array.isArray(comments) ? comments : [], whole: typeof whole === 'string' ? whole : '' };
  } catch {
    return NONE; // Nothing was kept.
  }
}
