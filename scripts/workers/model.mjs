/** A model that plays a script: each request of the conversation takes the next step, whichever protocol the CLI speaks. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

import { startFakeModels } from '../../packages/model-fakes/dist/index.js';

/** A word of every task: requests without it are no part of the conversation (titles, summaries, checks). */
export const MARK = 'TASK-7F3A';

/** Another address of this machine inside of its network: some programs take loopback for nothing that a proxy is needed for. */
export const OUTSIDE = '198.51.100.1';

const NOTHING_USED = { input: 0, output: 0 };

/** @typedef {(request: import('../../packages/model-fakes/dist/index.js').RecordedRequest) => object} Step */

/** The model of one case. */
export class ScriptedModel {
  /** What the conversation's requests were, as texts, with what each answer counted. @type {{ text: string, usage: object }[]} */
  calls = [];
  /** Keys that are refused, and how. @type {Map<string, object>} */
  refused = new Map();
  /** Keys that came. @type {Set<string>} */
  keys = new Set();
  #steps = [];

  static async start() {
    const model = new ScriptedModel();
    model.fake = await startFakeModels();
    model.fake.models = ['fake-model'];
    model.fake.otherwise((request) => model.#answer(request));
    const port = Number(new URL(model.url).port);
    model.relay = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      const end = () => (near.destroy(), far.destroy());
      near.on('error', end).pipe(far);
      far.on('error', end).pipe(near);
    }).listen(port, OUTSIDE);
    await once(model.relay, 'listening');
    return model;
  }

  get url() {
    return this.fake.url;
  }

  /** The same server at an address that is not loopback. */
  get outsideUrl() {
    return this.url.replace('127.0.0.1', OUTSIDE);
  }

  /** Adds steps: parts of an answer, or a function that makes them of the request's text. */
  plays(...steps) {
    this.#steps.push(...steps);
  }

  /** Adds a step that comes before all others. */
  playsNext(step) {
    this.#steps.unshift(step);
  }

  /** Takes back the steps that nobody has asked for. */
  forgets() {
    this.#steps.length = 0;
  }

  /** Tokens of the conversation's calls from this one on, as a run should count them. @param {number} from */
  usedSince(from) {
    const sum = { input: 0, output: 0, cacheRead: 0 };
    for (const { usage } of this.calls.slice(from)) {
      sum.input += usage.input + usage.cacheRead;
      sum.output += usage.output;
      sum.cacheRead += usage.cacheRead;
    }
    return sum;
  }

  async close() {
    this.relay.close();
    await this.fake.close();
  }

  #answer({ headers, body, path }) {
    const key = keyOf(headers, path);
    this.keys.add(key);
    const refusal = this.refused.get(key);
    if (refusal !== undefined) return refusal;
    const text = JSON.stringify(body);
    const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
    if (!hasTools || !text.includes(MARK)) return { content: [{ type: 'text', text: 'A title' }], usage: NOTHING_USED };
    const number = this.calls.length + 1;
    const usage = { input: 1000 * number, output: 10 * number, cacheRead: 100 * number };
    const step = this.#steps.shift() ?? { content: [{ type: 'text', text: 'Nothing is left to do.' }] };
    const answer = typeof step === 'function' ? step(text, this) : step;
    this.calls.push({ text, usage });
    return 'status' in answer ? answer : { usage, ...answer };
  }
}

function keyOf(headers, path) {
  const query = new URL(path, 'http://localhost').searchParams.get('key');
  const found = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? query ?? headers['authorization'] ?? '';
  return String(found).replace(/^Bearer /i, '');
}

/**
 * How the worker is to say that its session has ended, by the newest instruction: a file, or else a block in its answer.
 * @param {string} text of a request @returns {{ session: number, file?: string }}
 */
export function wantedSignal(text) {
  const files = [...text.matchAll(/(\/[^\s"'\\`]+\/output\/session-(\d+)\/signal\.json)/g)];
  const [, file, number] = files.toSorted((a, b) => Number(a[2]) - Number(b[2])).at(-1) ?? [];
  if (file !== undefined) return { session: Number(number), file };
  const sessions = [...text.matchAll(/\\"session\\": (\d+)/g)].map(([, digits]) => Number(digits));
  return { session: Math.max(1, ...sessions) };
}
