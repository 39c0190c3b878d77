import type { TenonError } from '@tenon/kernel';
import type { Model } from '../api.ts';
import { errors } from '../errors.ts';
import type { ProviderFailure } from '../stream.ts';
import type { RetrySettings } from './retry-policy.ts';

/** What an advice depends on beside the failure. */
export interface AdviceContext {
  readonly model: Model;
  /** Where a key can come from beside a login: ", or set NAME". */
  readonly orSet: string;
  readonly modelsFile: string;
  readonly retry: RetrySettings;
}

/** The error of the catalogue that tells the user what to do about a failed call, if there is one. */
export function adviceOn(failure: ProviderFailure, context: AdviceContext): TenonError | undefined {
  const { kind, message: said, retryAfterMs = 0 } = failure;
  const { model, orSet, retry, modelsFile: file } = context;
  const { provider, id, baseUrl } = model;
  const facts = { provider, id, said, orSet, file };
  switch (kind) {
    case 'auth':
      return errors.create('MODELS_KEY_REFUSED', facts);
    case 'no-quota':
      return errors.create('MODELS_NO_QUOTA', facts);
    case 'rate-limit':
      if (retryAfterMs <= retry.maxWaitMs) return errors.create('MODELS_RATE_LIMITED', facts);
      return errors.create('MODELS_ASKS_TO_WAIT', {
        ...facts,
        wait: duration(retryAfterMs),
        limit: duration(retry.maxWaitMs),
      });
    case 'overloaded':
    case 'server':
      return errors.create('MODELS_PROVIDER_DOWN', facts);
    case 'network':
      return errors.create('MODELS_UNREACHABLE', { ...facts, address: baseUrl ? ` and the address ${baseUrl}` : '' });
    case 'no-model':
      return errors.create('MODELS_NOT_SERVED', facts);
    case 'context-overflow':
      return errors.create('MODELS_TOO_LONG', facts);
    case 'bad-request':
      return errors.create('MODELS_REQUEST_REFUSED', facts);
    case 'refused':
      return errors.create('MODELS_ANSWER_REFUSED', facts);
    default:
      return undefined;
  }
}

const SECOND = [1000, 'second'] as const;
const LONGER = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

/** A time in the unit that people would use: "2 hours", "90 seconds". */
export function duration(ms: number): string {
  const [size, name] = LONGER.find(([unit]) => ms >= 2 * unit) ?? SECOND;
  const count = Math.max(1, Math.ceil(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
