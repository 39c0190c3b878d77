import { randomUUID } from 'node:crypto';
import { type Dialect, quirk } from '../dialect.ts';
import { CodeAssistMender } from '../mending/google-code-assist.ts';
import { dialect as google, loadGoogle } from './google-generative-ai.ts';

/** The address of Google's protocol, which has the model in it; Code Assist has it in the body. */
const METHOD = /\/models\/([^/:?]+):(\w+)(\?.*)?$/;

/** Google's Code Assist: the same requests and answers, each inside an envelope. */
export const dialect: Dialect = {
  ...google,
  mender: () => new CodeAssistMender(),
  load: (target, fetch) => loadGoogle(target, envelopeFetch(fetch, quirk(target, 'project', 'string')), true),
};

/** Puts each request into the envelope. The body is not parsed again: a conversation may be megabytes. */
function envelopeFetch(fetch: typeof globalThis.fetch, project: string | undefined): typeof globalThis.fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const [, model = '', method = '', query = ''] = METHOD.exec(url) ?? [];
    if (method === '' || typeof init?.body !== 'string') return fetch(input, init);
    const head = { model: decodeURIComponent(model), ...(project && { project }), user_prompt_id: randomUUID() };
    const body = `${JSON.stringify(head).slice(0, -1)},"request":${init.body}}`;
    return fetch(`${url.replace(METHOD, '')}:${method}${query}`, { ...init, body });
  };
}
