/** What servers may ask of Tenon: answers of a model, input of the user, the folders that are worked in; and what they tell. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { elicit } from './elicitation.ts';
import { sample, type SamplingHost } from './sampling.ts';
import type { ServerLog } from './server-log.ts';

/** What answering servers needs. */
export interface RequestHost extends SamplingHost {
  readonly elicitation: boolean;
}

/** What is offered to servers. */
export function clientCapabilities(host: RequestHost): NonNullable<ClientOptions['capabilities']> {
  return {
    roots: {},
    ...(host.policy !== 'deny' && { sampling: {} }),
    ...(host.elicitation && { elicitation: { form: { applyDefaults: true }, url: {} } }),
  };
}

/** Answers the requests of one server. */
export function answerServer(
  client: Client,
  host: RequestHost,
  about: { readonly server: string; readonly cwd: string; readonly log: ServerLog },
): void {
  const { server, cwd, log } = about;
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] }));
  if (host.policy !== 'deny') {
    client.setRequestHandler('sampling/createMessage', (request, { mcpReq }) => {
      log.add('tenon', 'info', 'it asks for an answer of a model');
      return sample(host, { server, cwd }, request.params, mcpReq.signal);
    });
  }
  if (host.elicitation) {
    client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => {
      log.add('tenon', 'info', 'it asks the user for something');
      return elicit(await host.userInterface(), server, request.params, mcpReq.signal);
    });
  }
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger, data } = params;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    log.add('server', level, logger === undefined ? text : `${logger}: ${text}`);
  });
}
