/** The protocols that Tenon speaks itself, as the SDK speaks them: what they must agree with. */
import type { Provider } from '@tenon/models/api';
import { adapterFor } from '../../src/adapter.ts';
import type { Dialect } from '../../src/dialect.ts';
import { dialect as anthropic } from './anthropic-messages.ts';
import { dialect as completions } from './openai-completions.ts';
import { dialect as responses } from './openai-responses.ts';

/** The protocols that have an oracle. */
export const DIRECT = ['openai-completions', 'openai-responses', 'anthropic-messages'] as const;

/** One of them. */
export type DirectName = (typeof DIRECT)[number];

const DIALECTS: Readonly<Record<DirectName, Dialect>> = {
  'openai-completions': completions,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
};

/** The SDK's provider. Without mending nothing of ours stands between the bytes and the SDK. */
export function oracleOf(protocol: DirectName, { mends }: { readonly mends: boolean }): Provider {
  const { mender, ...dialect } = DIALECTS[protocol];
  return adapterFor(mends && mender ? { ...dialect, mender } : dialect, { stallMs: 10_000 });
}
