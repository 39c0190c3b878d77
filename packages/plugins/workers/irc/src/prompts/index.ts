import { renderPrompt } from '@tenon/prompts';
import incoming from './incoming.md';
import irc from './irc.md';
import received from './received.md';

/** What is known of a message. */
interface Incoming {
  readonly name: string;
  readonly id: string;
  readonly isElsewhere: boolean;
  readonly text: string;
}

/** The message between lines that it cannot hold itself: each of its lines begins with a mark. */
const quoted = (text: string) =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** The texts for models. */
export const prompts = {
  irc: () => renderPrompt(irc),
  incoming: ({ text, ...values }: Incoming & { readonly crossed: boolean }) =>
    renderPrompt(incoming, { ...values, text: quoted(text) }),
  received: ({ text, reply, ...values }: Incoming & { readonly reply: string }) =>
    renderPrompt(received, { ...values, text: quoted(text), reply: reply === '' ? '' : quoted(reply) }),
};
