/** Dialogs have a rule above them, so that one sees where they begin. */
import type { Dialog, Seat } from '../seat.ts';

/** The component with a rule above it. */
export function framed(seat: Pick<Seat, 'theme'>, inner: Dialog): Dialog {
  return {
    ...(inner.ownsEscape !== undefined && { ownsEscape: inner.ownsEscape }),
    render: (width) => [seat.theme.fg('borderAccent', '─'.repeat(Math.max(0, width))), ...inner.render(width)],
    spoken: () => inner.spoken?.(),
    handleInput: (data) => inner.handleInput?.(data),
    invalidate: () => inner.invalidate?.(),
  };
}
