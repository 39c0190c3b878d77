/** A text that is meant to be typed elsewhere. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** A command, and a button that copies it. */
export function Copied({ text }: { readonly text: string }): VNode {
  const [said, setSaid] = useState('');
  const words = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      // Browsers refuse it to pages without TLS: then the text is chosen, and Ctrl-C does the rest.
      if (words.current) getSelection()?.selectAllChildren(words.current);
      setSaid('Press Ctrl-C to copy it.');
    }
  };
  return (
    <>
      <code ref={words}>{text}</code>{' '}
      <button type="button" class="quiet" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status"> {said}</span>
    </>
  );
}
