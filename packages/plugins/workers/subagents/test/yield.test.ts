import { urlRouter } from '@tenon/urls/api';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, taskOf, yields } from './support/world.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['count'],
  properties: { count: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
};
const main = (more: Readonly<Record<string, unknown>> = {}, agent = 'quick_task') => [
  { calls: [delegate(agent, ['one'], more)] },
  { text: 'done' },
];

describe('a subagent that stops without a result', () => {
  it('is reminded, and its result is taken when it comes', async () => {
    const { agent, requests, results } = await subagentWorld({
      main: main(),
      tasks: { one: [{ text: 'I am done' }, { text: 'Really' }, yields('late')] },
    });
    await agent.prompt('go');
    const ofChild = requests.filter((request) => taskOf(request) === 'one');
    expect(ofChild).toHaveLength(3);
    expect(JSON.stringify(ofChild[2]?.messages)).toContain('reminder 2 of 3');
    expect(results()[0]?.text).toMatch(/completed[^\n]*\nlate$/);
  });

  it('is reminded three times; then its last answer counts, with a warning', async () => {
    const { agent, requests, results } = await subagentWorld({
      main: main(),
      tasks: { one: [{ text: 'the answer is 42' }] },
    });
    await agent.prompt('go');
    expect(requests.filter((request) => taskOf(request) === 'one')).toHaveLength(4);
    expect(results()[0]?.text).toMatch(/completed[^\n]*\n\[It never called `yield`[^\n]*\]\nthe answer is 42$/);
    expect(results()[0]?.isError).toBe(false);
  });

  it('is not reminded when its model has failed, and what others gave is not lost', async () => {
    const { agent, requests, results } = await subagentWorld({
      main: [{ calls: [delegate('quick_task', ['bad', 'good'])] }, { text: 'done' }],
      tasks: { bad: [{ fail: { kind: 'auth', message: 'the key is wrong' } }], good: [yields('fine')] },
    });
    await agent.prompt('go');
    expect(requests.filter((request) => taskOf(request) === 'bad')).toHaveLength(1);
    const [result] = results();
    expect(result?.text).toContain('1 of 2 tasks did not end well.');
    expect(result?.text).toMatch(/## bad \(quick_task\): failed[^\n]*\nthe key is wrong/);
    expect(result?.text).toMatch(/## good \(quick_task\): completed[^\n]*\nfine/);
    expect(result?.isError).toBe(false);
  });
});

describe('a result by a schema', () => {
  it('is checked by the tool, which says what is wrong until it fits', async () => {
    const { agent, requests, results, kernel, session, cwd } = await subagentWorld({
      main: main({ schema }),
      tasks: { one: [yields({ count: 'many' }), yields({ count: 3, names: ['a', 'b', 'c'] })] },
    });
    await agent.prompt('go');
    const second = requests.filter((request) => taskOf(request) === 'one')[1];
    expect(JSON.stringify(second?.messages)).toContain('count');
    expect(results()[0]?.text).toContain('"count": 3');
    const router = await kernel.find(urlRouter);
    const call = { signal: new AbortController().signal, scope: { session: session.id, cwd } };
    expect((await router.read('agent://one/names/1', call)).content).toBe('b');
    expect((await router.read('agent://one?q=.names[2]', call)).content).toBe('c');
  });

  it('fails when the subagent hands over what does not fit, again and again', async () => {
    const { agent, requests, results } = await subagentWorld({
      main: main({ schema }),
      tasks: { one: [yields({ count: 'many' })] },
    });
    await agent.prompt('go');
    expect(requests.filter((request) => taskOf(request) === 'one')).toHaveLength(5);
    expect(results()[0]?.text).toMatch(/failed.*none could be taken.*count/s);
  });

  it('is saved from the last answer when it fits', async () => {
    const { agent, results } = await subagentWorld({
      main: main({ schema }),
      tasks: { one: [{ text: 'Here it is:\n```json\n{ "count": 7 }\n```\nGoodbye.' }] },
    });
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/completed.*never called `yield`.*"count": 7/s);
  });

  it('fails when the last answer does not fit, and the answer is kept', async () => {
    const { agent, results } = await subagentWorld({
      main: main({ schema }),
      tasks: { one: [{ text: '{ "count": "seven" }' }] },
    });
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/failed.*does not fit the schema: count.*\{ "count": "seven" \}/s);
    expect(results()[0]?.isError).toBe(true);
  });

  it('is asked for by the definition before the call', async () => {
    const { agent, requests } = await subagentWorld({
      main: main({ schema }, 'explore'),
      tasks: { one: [yields({ answer: 'here', files: [] })] },
    });
    await agent.prompt('go');
    const child = requests.find((request) => taskOf(request) === 'one');
    const parameters = child?.tools.find(({ name }) => name === 'yield')?.parameters as {
      properties: { result: object };
    };
    expect(Object.keys(parameters.properties.result)).toContain('required');
    expect(JSON.stringify(parameters)).toContain('"answer"');
    expect(JSON.stringify(parameters)).not.toContain('"count"');
  });

  it('is refused when it is no schema', async () => {
    const { agent, results } = await subagentWorld({ main: main({ schema: { type: 'nonsense' } }) });
    await agent.prompt('go');
    expect(results()[0]?.text).toContain('is no JSON Schema that can be used');
  });
});

describe('a subagent that gives up', () => {
  it('says why', async () => {
    const { agent, results } = await subagentWorld({
      main: main(),
      tasks: { one: [{ calls: [{ name: 'yield', arguments: { aborted: 'the file is not there' } }] }] },
    });
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/aborted[^\n]*\nthe file is not there/);
  });

  it('is told when it hands over nothing', async () => {
    const { agent, requests, results } = await subagentWorld({
      main: main(),
      tasks: { one: [{ calls: [{ name: 'yield', arguments: {} }] }, yields('now')] },
    });
    await agent.prompt('go');
    expect(JSON.stringify(requests.filter((request) => taskOf(request) === 'one')[1]?.messages)).toContain(
      'Nothing was handed over',
    );
    expect(results()[0]?.text).toContain('now');
  });
});
