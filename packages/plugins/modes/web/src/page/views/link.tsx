/** A link to another place of the page. */
import type { ComponentChildren, VNode } from 'preact';
import { go } from '../state/place.ts';

/** A link that stays within the page. */
export function Link(props: {
  readonly to: string;
  readonly class?: string;
  readonly title?: string;
  readonly isHere?: boolean;
  readonly children: ComponentChildren;
}): VNode {
  const { to, isHere = false, children, title } = props;
  return (
    <a
      href={to}
      {...(props.class !== undefined && { class: props.class })}
      {...(title !== undefined && { title })}
      {...(isHere && { 'aria-current': 'page' as const })}
      onClick={(event) => {
        // Another tab or window is the browser's business.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
