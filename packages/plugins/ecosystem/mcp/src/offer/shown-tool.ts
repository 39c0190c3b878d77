/** Tools as servers describe them, and as users and models may read them. */
import type { Tool } from '@modelcontextprotocol/client';
import { plainText } from '@tenon/wording';

const WORDS: ReadonlySet<string> = new Set(['description', 'title']);

/** The tool without what a user would not see and a model would obey, and with a schema that stands for itself. */
export function asShown(tool: Tool): Tool {
  const { description, title, inputSchema } = tool;
  // Two servers may give their schemas the same id, and only one could be used.
  const { $id: _id, ...schema } = plainWords(inputSchema) as Record<string, unknown>;
  return {
    ...tool,
    ...(description !== undefined && { description: plainText(description) }),
    ...(title !== undefined && { title: plainText(title) }),
    inputSchema: { properties: {}, ...schema, type: 'object' },
  };
}

/** What people write into schemas; what values must be stays as it is. */
function plainWords(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(plainWords);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      WORDS.has(key) && typeof value === 'string' ? plainText(value) : plainWords(value),
    ]),
  );
}
