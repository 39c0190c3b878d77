import { defineErrors } from '@tenon/kernel';

/** What can go wrong with channels. */
export const errors = defineErrors('channels', {
  CHANNELS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no channel "{name}".{hint}',
    next: 'Run `tenon channels list`, or name it under `channels.use` in your settings.',
  },
  CHANNELS_NONE: {
    exit: 'usage',
    summary: 'You have set up no channel.',
    next: 'Name one under `channels.use` in your settings; `tenon read docs://guide/channels.md` shows how.',
  },
  CHANNELS_KIND: {
    exit: 'usage',
    summary: 'The channel "{name}" is of the kind "{kind}", which there is not.{hint}',
    next: 'Use discord, telegram, slack, webhook, ntfy or desktop.',
  },
  CHANNELS_SETTING: {
    exit: 'usage',
    summary: 'The channel "{name}" cannot be used: {problem}.',
    next: 'Correct `channels.use.{name}` in your settings; `tenon read docs://guide/channels.md` shows what each kind needs.',
  },
  CHANNELS_NO_CREDENTIAL: {
    summary: 'There is no credential for {service}.',
    next: 'Run `tenon auth login {service}`, or set {variable}.',
  },
  CHANNELS_BUSY: {
    summary: 'Another process serves the channels already: {holder}.',
    next: 'End it, or leave it at work: one is enough.',
  },
  CHANNELS_SEND: {
    summary: 'The channel "{name}" did not take the message: {reason}',
    next: 'Check its settings and its credential (`tenon channels list`), and whether the service is reachable.',
  },
  CHANNELS_STATE: {
    summary: '{file} is damaged: {reason}.',
    next: 'Move it away. Questions that are still open are announced again; threads begin anew.',
  },
});
