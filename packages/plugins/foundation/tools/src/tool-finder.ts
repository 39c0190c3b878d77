/** Finds tools by name, also those that MCP servers and extensions bring only when somebody asks for them. */
import { messageOf, type Registry, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { Tool, ToolCatalogue, ToolRequest, ToolSource } from './api.ts';
import { errors } from './errors.ts';

/** What finding tools needs. */
export interface FinderHost {
  readonly registry: Registry<Tool>;
  readonly sources: Registry<ToolSource>;
  report(error: TenonError): void;
}

/** Makes the part of the catalogue that finds tools by name. */
export function createFinder(host: FinderHost): Pick<ToolCatalogue, 'gather' | 'find'> {
  const { registry } = host;
  const gather = async (request: ToolRequest): Promise<readonly TenonError[]> => {
    const problems: TenonError[] = [];
    for (const { key, value } of await host.sources.resolveAll()) {
      request.signal?.throwIfAborted();
      problems.push(...(await askSource(host, key, value, request)));
      if (request.names?.every((name) => registry.get(name))) break;
    }
    return problems;
  };
  return {
    gather,
    async find(request) {
      const missing = request.names.filter((name) => !registry.get(name));
      const problems = missing.length === 0 ? [] : await gather({ ...request, names: missing });
      const keys = registry.list().map(({ key }) => key);
      const meant = request.names.map((name) => keys.filter((key) => matches(name, key)));
      const unknown = request.names.find((_name, index) => meant[index]?.length === 0);
      const names = [...new Set(meant.flat())];
      if (unknown === undefined) return { names };
      const helpful = problems.flatMap(({ message, next }) => [message, next].filter(Boolean).map(sentence));
      return { names, unknown: { name: unknown, hint: [didYouMean(unknown, keys), ...helpful].join(' ').trimEnd() } };
    },
  };
}

/** A source that fails must not keep the others from being asked. */
async function askSource(
  { report }: FinderHost,
  source: string,
  toolSource: ToolSource,
  request: ToolRequest,
): Promise<readonly TenonError[]> {
  try {
    return await toolSource.offer(request);
  } catch (fault) {
    request.signal?.throwIfAborted();
    const reason = messageOf(fault);
    const error = fault instanceof TenonError ? fault : errors.create('TOOLS_SOURCE_FAILED', { source, reason }, fault);
    report(error);
    return [error];
  }
}

/** Whether a name or pattern means a tool; `*` stands for any text. */
function matches(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
