import { explainFailures, textResult, type Tool } from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import { Type } from '@tenon/kernel';
import type { SearchQuery } from './api.ts';
import { prompts } from './prompts/index.ts';
import type { ChainAnswer, SearchChain } from './search/chain.ts';

const MAX_RESULTS = 30;
const MAX_SNIPPET = 600;
const RECENCIES = ['day', 'week', 'month', 'year'] as const;

/** What the tool needs. */
export interface SearchHost {
  readonly results: number;
  chain(): Promise<SearchChain>;
}

/** The tool that searches the web. */
export function createSearchTool(host: SearchHost): Tool {
  const sites = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
  return explainFailures({
    description: prompts.webSearch(),
    parameters: Type.Object(
      {
        query: Type.String({ description: 'What to look for' }),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_RESULTS, description: `Results (default ${host.results})` }),
        ),
        recency: Type.Optional(
          Type.Union(
            RECENCIES.map((name) => Type.Literal(name)),
            { description: 'Only pages as new as this' },
          ),
        ),
        domains: sites('Only these sites, such as docs.python.org'),
        exclude_domains: sites('Not these sites'),
        engine: Type.Optional(Type.String({ description: 'Only this engine' })),
      },
      { additionalProperties: false },
    ),
    // Which engines are asked depends on which of them answer.
    touches: () => ({ hosts: [] }),
    async execute(input, call) {
      const query = queryOf(input, host.results);
      const engine =
        typeof input['engine'] === 'string' && input['engine'] !== 'auto' ? input['engine'].toLowerCase() : undefined;
      const answer = await (await host.chain()).search(query, call.signal, engine);
      const { engine: used, hits, failed } = answer;
      return textResult(answerText(answer), {
        engine: used,
        query: query.text,
        results: hits,
        failed,
        ...(answer.answer && { answer: answer.answer }),
      });
    },
  });
}

function queryOf(input: Readonly<Record<string, unknown>>, results: number): SearchQuery {
  const domains = (value: unknown) =>
    Array.isArray(value) ? value.map((item) => domainOf(String(item))).filter(Boolean) : [];
  const recency = RECENCIES.find((name) => name === input['recency']);
  return {
    text: String(input['query']).trim(),
    limit: typeof input['limit'] === 'number' ? input['limit'] : results,
    domains: domains(input['domains']),
    excludeDomains: domains(input['exclude_domains']),
    ...(recency && { recency }),
  };
}

/** Models write addresses and wildcards where a name is wanted. */
function domainOf(given: string): string {
  return given
    .trim()
    .toLowerCase()
    .replace(/^-?(?:https?:\/\/)?(?:\*\.)?(?:www\.)?/, '')
    .replace(/[/?#:].*$/, '');
}

/** The answer as the model reads it. */
export function answerText({ answer, hits, notes = [], title, failed }: ChainAnswer): string {
  const rows = hits.map(({ title: name, url, snippet, date }, index) => {
    const first = `${index + 1}. ${oneLine(name)}${date === undefined ? '' : ` (${date.slice(0, 30)})`}`;
    return [
      first,
      `   ${url}`,
      ...(snippet === undefined ? [] : [`   ${cutText(oneLine(snippet), MAX_SNIPPET)}`]),
    ].join('\n');
  });
  const skipped = failed.map(({ engine, reason }) => `[${engine} was asked before: ${reason}]`);
  const parts = [
    ...(answer ? [answer.trim()] : []),
    ...(rows.length > 0
      ? [answer ? `Sources:\n${rows.join('\n')}` : rows.join('\n')]
      : answer
        ? []
        : ['Nothing was found. Ask with other words.']),
    [...(title === '' ? [] : [`[Found by ${title}]`]), ...notes.map((note) => `[${note}]`), ...skipped].join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
