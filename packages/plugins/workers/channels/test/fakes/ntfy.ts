/** A fake of ntfy: publishing as JSON, and topics that are followed line by line. */
import type { ServerResponse } from 'node:http';
import { type Answer, type Asked, startServer } from './server.ts';

/** A button of a notification. */
export interface NtfyAction {
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method: string;
  readonly body: string;
}

/** A notification. */
export interface NtfyMessage {
  readonly id: string;
  readonly topic: string;
  readonly message: string;
  readonly title?: string;
  readonly priority?: number;
  readonly actions?: readonly NtfyAction[];
}

/** The token that the fake takes. */
export const NTFY_TOKEN = 'tk_ntfytokenfortests';

/** The fake. Its topic of answers is open to everybody, as the guide says. */
export class FakeNtfy {
  origin = '';
  readonly messages: NtfyMessage[] = [];
  readonly #followers = new Map<ServerResponse, string>();
  #next = 1;

  async start(): Promise<this> {
    this.origin = (await startServer((asked) => this.#answer(asked))).origin;
    return this;
  }

  of(topic: string): NtfyMessage[] {
    return this.messages.filter((message) => message.topic === topic);
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** Cuts all connections of followers. */
  cut(): void {
    for (const response of this.#followers.keys()) response.destroy();
  }

  #publish(message: Omit<NtfyMessage, 'id'>): NtfyMessage {
    const whole = { id: `m${this.#next++}`, ...message };
    this.messages.push(whole);
    const line = `${JSON.stringify({ event: 'message', time: 1, ...whole })}\n`;
    for (const [response, topic] of this.#followers) if (topic === message.topic) response.write(line);
    return whole;
  }

  #answer({ method, path, headers, json, query, body, response }: Asked): Answer {
    const isKnown = headers.authorization === `Bearer ${NTFY_TOKEN}`;
    if (method === 'POST' && path === '/') {
      if (!isKnown) return { status: 403, json: { code: 40_301, error: 'forbidden' } };
      const { topic, message, actions = [] } = (json ?? {}) as unknown as NtfyMessage;
      if (!/^[\w-]{1,64}$/.test(topic ?? '') || message === '')
        return { status: 400, json: { code: 400, error: 'invalid request' } };
      if (Buffer.byteLength(message) > 4096 || actions.length > 3)
        return { status: 400, json: { code: 400, error: 'too much' } };
      return { status: 200, json: this.#publish(json as unknown as NtfyMessage) };
    }
    const [, topic = '', isStream] = /^\/([\w-]+)(\/json)?$/.exec(path) ?? [];
    if (method === 'POST' && isStream === undefined)
      return { status: 200, json: this.#publish({ topic, message: body }) };
    if (method !== 'GET' || isStream === undefined || !isKnown) return { status: 403, json: { error: 'forbidden' } };
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ id: 'open', event: 'open', topic })}\n`);
    const since = query.get('since');
    const after = this.messages.findIndex(({ id }) => id === since);
    const missed = since === null ? [] : this.messages.slice(after + 1).filter((message) => message.topic === topic);
    for (const message of missed) response.write(`${JSON.stringify({ event: 'message', ...message })}\n`);
    this.#followers.set(response, topic);
    response.on('close', () => this.#followers.delete(response));
    return undefined;
  }
}
