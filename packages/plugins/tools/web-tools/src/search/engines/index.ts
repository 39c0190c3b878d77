import type { SearchEngine } from '../../api.ts';
import { anthropic, gemini, openai, perplexity } from './answering.ts';
import { brave, exa, google, jina, kagi, kimi, parallel, searxng, synthetic, tavily, zai } from './listing.ts';

/** The engines that come with Tenon, by the names of the manifest. */
export const ENGINES: Readonly<Record<string, SearchEngine>> = {
  perplexity,
  brave,
  jina,
  kimi,
  anthropic,
  gemini,
  openai,
  zai,
  exa,
  tavily,
  kagi,
  parallel,
  google,
  synthetic,
  searxng,
};
