/** While a person is at the end of what grows, the end stays in view; elsewhere nothing moves. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const NEAR_END_PX = 80;

/** What an element that grows is given. */
export interface StayingAtEnd {
  readonly ref: RefObject<HTMLDivElement>;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/** Keeps the end of an element in view. `first` names what it begins with: when something comes before that, the rest stays where it is. */
export function useStayingAtEnd(first: unknown = 0): StayingAtEnd {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const heightBefore = useRef(0);
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // What was put before the first entry must not push the rest down.
    if (!isAtEnd.current) element.scrollTop += element.scrollHeight - heightBefore.current;
    heightBefore.current = element.scrollHeight;
  }, [first]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // Who has just scrolled up is told by an event that comes too late while there is more every moment.
    if (element.scrollTop < lastTop.current - 1 && !isNearEnd(element)) isAtEnd.current = false;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    heightBefore.current = element.scrollHeight;
  });
  // A window that becomes narrower, or the keyboard of a telephone, would hide the end.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return {
    ref,
    onScroll: ({ currentTarget: element }) => {
      isAtEnd.current = isNearEnd(element);
      lastTop.current = element.scrollTop;
    },
  };
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
}
