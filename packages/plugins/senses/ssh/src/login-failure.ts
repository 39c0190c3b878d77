/** Why `ssh` could not connect. */
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import { errors } from './errors.ts';
import { commandByHand, targetOf } from './ssh-options.ts';

/** The error for what `ssh` says when it cannot connect. */
export function explain(host: KnownHost, said: string): Error {
  const details = { host: host.name, target: targetOf(host), command: commandByHand(host) };
  if (/IDENTIFICATION HAS CHANGED|Host key for .* has changed/i.test(said))
    return errors.create('SSH_KEY_CHANGED', details);
  if (/Host key verification failed|host key is known/i.test(said)) return errors.create('SSH_KEY_UNKNOWN', details);
  const lines = said.split('\n').map(plainLine).filter(Boolean);
  const reason = (lines.at(-1) ?? 'ssh ended without saying why').replace(/^ssh: /, '').replace(/\.$/, '');
  const code = /Permission denied|Too many authentication|no more authentication/i.test(said)
    ? 'SSH_DENIED'
    : 'SSH_UNREACHABLE';
  return errors.create(code, { ...details, reason });
}
