/** Extensions of the same trust, level and permissions share a process; the fault of one is told by its name. */
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { piExtensions } from '../src/api.ts';
import { toolTexts, world, type World } from './support/world.ts';

let current: World | undefined;
beforeAll(() => useBuiltHost('pi-compat'), 60_000);
afterEach(async () => {
  await current?.end();
  current = undefined;
});

/** A tool that says in which process it runs, how often the extension was started, and does what its input says. */
const member = (name: string) => `
  export default (pi) => {
    let starts = '';
    pi.on('session_start', (event) => { starts = event.reason; });
    pi.registerTool({ name: '${name}', description: 'x', parameters: { type: 'object', properties: { what: { type: 'string' } } },
      execute: async (id, { what }) => {
        if (what === 'exit') process.exit(3);
        if (what === 'throw') setTimeout(() => { throw new Error('thrown by ${name}'); }, 1);
        if (what === 'throw') await new Promise((resolve) => setTimeout(resolve, 60_000));
        if (what === 'hang') for (;;);
        if (what === 'reject') Promise.reject(new Error('rejected by ${name}'));
        return { content: [{ type: 'text', text: process.pid + ' ' + starts }] };
      } });
  };`;
const call = (name: string, what?: string) => ({ calls: [{ name, arguments: what === undefined ? {} : { what } }] });
const processesOf = async ({ kernel, cwd }: World) =>
  new Map((await kernel.find(piExtensions)).list(cwd).map(({ name, process }) => [name, process]));
const stopped = ({ reports }: World) =>
  reports().flatMap(({ code, details }) => (code === 'PI_COMPAT_STOPPED' ? [String(details['extension'])] : []));

describe('extensions of the same kind', () => {
  test('run in one process, and those with other permissions, trust or level in others', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const seen = (current = await world(
      {
        a: member('a'),
        b: member('b'),
        c: { code: member('c'), granted: { fs: { write: ['./out/**'] } } },
        d: { code: member('d'), trust: 'unconfined' },
        e: { code: member('e'), level: 'project' },
      },
      [...names.map((name) => call(name)), { text: 'done' }],
      { trusts: true },
    ));
    await seen.agent.prompt('go');
    const texts = toolTexts(seen);
    expect(texts).toHaveLength(5);
    expect(texts.every((text) => text.endsWith(' startup'))).toBe(true);
    const processes = await processesOf(seen);
    const [a, b, c, d, e] = names.map((name) => processes.get(name));
    expect(a).toBeTypeOf('number');
    expect(b).toBe(a);
    expect(new Set([a, c, d, e]).size).toBe(4);
  });

  test.each(['exit', 'throw', 'hang'])(
    'one that crashes (%s) is named and gets a process of its own; the others go on',
    async (how) => {
      const seen = (current = await world(
        { good: member('good'), bad: member('bad'), other: member('other') },
        [call('bad', how), call('good'), call('other'), call('bad'), { text: 'done' }],
        { packHost: { hangSeconds: 1 } },
      ));
      await seen.agent.prompt('go');
      const [failed, good, other, bad] = toolTexts(seen);
      expect(failed).toMatch(/crashed|ended by itself|did not answer/);
      expect(stopped(seen)).toEqual(['bad']);
      expect([good, other, bad].every((text) => text?.endsWith(' reload'))).toBe(true);
      const processes = await processesOf(seen);
      expect(processes.get('good')).toBeTypeOf('number');
      expect(processes.get('other')).toBe(processes.get('good'));
      expect(processes.get('bad')).toBeTypeOf('number');
      expect(processes.get('bad')).not.toBe(processes.get('good'));
    },
  );

  test('one that ends the process while it is loaded fails alone', async () => {
    const seen = (current = await world({ good: member('good'), bad: `process.exit(7);`, other: member('other') }, [
      call('good'),
      call('other'),
      { text: 'done' },
    ]));
    await seen.agent.prompt('go');
    expect(toolTexts(seen).map((text) => text.split(' ')[1])).toEqual(['startup', 'startup']);
    const failed = seen.reports().filter(({ code }) => code === 'PI_COMPAT_LOAD_FAILED');
    expect(failed.map(({ details }) => details['extension'])).toEqual(['bad']);
  });

  test('a promise that nobody waits for is told under the name of its extension, and ends nothing', async () => {
    const seen = (current = await world({ good: member('good'), bad: member('bad') }, [
      call('bad', 'reject'),
      call('good'),
      { text: 'done' },
    ]));
    await seen.agent.prompt('go');
    const told = () => seen.reports().find(({ message }) => message.includes('rejected by bad'));
    await until(() => told() !== undefined, 'the report');
    expect(told()?.details['extension']).toBe('bad');
    expect(toolTexts(seen).map((text) => text.split(' ')[1])).toEqual(['startup', 'startup']);
  });
});
