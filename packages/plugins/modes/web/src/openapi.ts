/** The API as OpenAPI 3.1, written from the table of routes. */
import { streams } from './places.ts';
import { type Route, routes } from './routes.ts';

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, next: { type: 'string' } },
    },
  },
};

/** The description of the whole API. */
export function openApi(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const [method, path] = route.at;
    const operations = (paths[pathOf(path)] ??= {});
    operations[method.toLowerCase()] = operation(name, route);
  }
  for (const [name, { path, summary, query }] of Object.entries(streams)) {
    const asked = query.map((key) => ({ name: key, in: 'query', schema: { type: 'string' } }));
    const content = { 'text/event-stream': { schema: { type: 'string' } } };
    const responses = { 200: { description: 'Events', content } };
    paths[pathOf(path)] = {
      get: { operationId: name, summary, parameters: [...pathParameters(path), ...asked], responses },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tenon', version },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function operation(name: string, { at: [, path], summary, query, body, result }: Route) {
  const asked = Object.entries((query?.['properties'] ?? {}) as Record<string, unknown>).map(([key, schema]) => ({
    name: key,
    in: 'query',
    schema,
  }));
  const json = (schema: unknown) => ({ 'application/json': { schema } });
  return {
    operationId: name,
    summary,
    parameters: [...pathParameters(path), ...asked],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'Done', content: json(result) },
      default: { description: 'What is wrong, and what to do', content: json(ERROR) },
    },
  };
}

const pathOf = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

function pathParameters(path: string) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}
