/** Where a person writes to the agent. What was written is kept until the server has it. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt, client } from '../state/connection.ts';

const draftKey = (id: string) => `tenon-draft-${id}`;

/** The field for a message. */
export function Composer({ id, isWorking }: { readonly id: string; readonly isWorking: boolean }): VNode {
  const [text, setText] = useState(() => localStorage.getItem(draftKey(id)) ?? '');
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (value: string) => {
    setText(value);
    if (value === '') localStorage.removeItem(draftKey(id));
    else localStorage.setItem(draftKey(id), value);
  };
  useEffect(() => field.current?.focus(), [id]);
  const send = async (whileWorking: 'steer' | 'followUp') => {
    const message = text.trim();
    if (message === '' || isSending) return;
    setSending(true);
    const body = { message, ...(isWorking && { whileWorking }) };
    if (await attempt(() => client.call('prompt', { params: { id }, body }))) change('');
    setSending(false);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send(event.altKey ? 'followUp' : 'steer');
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send('steer');
      }}
    >
      <textarea
        ref={field}
        rows={3}
        value={text}
        aria-label="Message to the agent"
        placeholder={isWorking ? 'Enter steers, Alt-Enter waits for the end' : 'What should be done?'}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="composer-buttons">
        <button type="submit" disabled={isSending || text.trim() === ''}>
          {isWorking ? 'Steer' : 'Send'}
        </button>
        {isWorking && (
          <button
            type="button"
            class="danger"
            onClick={() => void attempt(() => client.call('stop', { params: { id } }))}
          >
            Stop
          </button>
        )}
      </div>
    </form>
  );
}
