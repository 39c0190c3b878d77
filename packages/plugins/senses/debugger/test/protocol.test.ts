/** The rest of the protocol, with a small adapter that has everything: memory, data breakpoints, terminals, child sessions. */
import { join } from 'node:path';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it } from 'vitest';
import { type DebugBench, openDebugBench } from './support/debug-bench.ts';

const SMALL = join(import.meta.dirname, 'support', 'small-adapter.cjs');

let bench: DebugBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  bench = undefined;
});

async function open(wish = 'nothing', settings: Record<string, unknown> = {}): Promise<DebugBench> {
  const form = { extensions: ['.small'], runs: ['true'], arguments: { wish } };
  const adapters = {
    small: { name: 'Small', commands: [[process.execPath, SMALL]], launch: [form] },
    server: { name: 'Server', commands: [[process.execPath, SMALL, '{port}']], transport: 'listen', launch: [form] },
  };
  bench = await openDebugBench({ 'a.small': 'x' }, { debugger: { adapters }, ...settings });
  return bench;
}

describe('an adapter that has everything', () => {
  it('reads and writes memory, and disassembles', async () => {
    const { debug, refused } = await open();
    await debug('launch', { program: 'a.small' });
    const read = await debug('read_memory', { memory_reference: '0x1000', count: 20, offset: 0 });
    expect(read.text).toBe(
      '0x1000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n4 bytes after that cannot be read.',
    );
    expect(read.details).toMatchObject({ memoryAddress: '0x1000', unreadableBytes: 4 });
    const data = Buffer.from('XY').toString('base64');
    expect((await debug('write_memory', { memory_reference: '0x1000', offset: 2, data })).text).toBe(
      '2 bytes written.',
    );
    expect((await debug('read_memory', { memory_reference: '0x1000', count: 4 })).text).toContain('01XY');
    expect(await refused('write_memory', { memory_reference: '0x1000', data: 'no base 64' })).toMatch(/data as base64/);
    expect(await refused('read_memory', { memory_reference: '0x1000' })).toMatch(/read_memory needs count/);
    const code = await debug('disassemble', { instruction_count: 2 });
    expect(code.text).toBe('0x10  <main>  nop\n0x11  nop');
    expect(await refused('disassemble', {})).toMatch(/disassemble needs instruction_count/);
  });

  it('watches data and instructions, and tells later what became of breakpoints', async () => {
    const { debug, refused } = await open();
    await debug('launch', { program: 'a.small' });
    const info = await debug('data_breakpoint_info', { name: 'x' });
    expect(info.text).toBe('data_id x@9: watch x. Access: read, write.');
    expect((await debug('data_breakpoint_info', { name: 'y', scope_id: 5 })).text).toMatch(/^No data breakpoint/);
    const set = await debug('set_data_breakpoint', { data_id: 'x@9', access_type: 'readWrite' });
    expect(set.details['dataBreakpoints']).toMatchObject([{ dataId: 'x@9', accessType: 'readWrite', verified: true }]);
    const pending = await debug('set_instruction_breakpoint', { instruction_reference: '0x10', offset: 4 });
    expect(pending.text).toBe('instruction 0x10+4: not set yet: pending');
    expect((await debug('continue')).details.snapshot.stopReason).toBe('data breakpoint');
    const rest = await debug('remove_instruction_breakpoint', { instruction_reference: '0x20' });
    expect(rest.text).toBe('There was no such breakpoint.\ninstruction 0x10+4: not set yet: pending');
    expect((await debug('remove_data_breakpoint', { data_id: 'x@9' })).text).toBe('Removed.\nNo data breakpoints.');
    const moved = await debug('set_breakpoint', { file: 'prog', line: 4 });
    expect(moved.text).toMatch(/prog:4: at line 5, set/);
    // A refused list leaves the old one in force.
    expect(await refused('set_breakpoint', { file: 'prog', line: 99 })).toMatch(/no such line/);
    expect((await debug('set_breakpoint', { file: 'prog', line: 6 })).details['breakpoints']).toHaveLength(2);
  });

  it('is asked again to pause when it has lost the first request', async () => {
    const { debug } = await open('deaf');
    const launched = await debug('launch', { program: 'a.small', stop_on_entry: false, timeout: 1 });
    expect(launched.details.snapshot.state).toBe('running');
    expect((await debug('pause')).details.snapshot).toMatchObject({ state: 'stopped', stopReason: 'pause' });
  });

  it('is asked only for what it can do', async () => {
    const { debug, refused } = await open();
    await debug('launch', { program: 'a.small' });
    expect(await refused('set_breakpoint', { function: 'main' })).toMatch(
      /small does not support function breakpoints/,
    );
    expect(await refused('set_breakpoint', { file: 'a', line: 1, condition: 'x' })).toMatch(
      /conditions of breakpoints/,
    );
    expect(await refused('set_breakpoint', { file: 'a', line: 1, log_message: 'x' })).toMatch(/log messages/);
    expect(await refused('exception_info')).toMatch(/details of exceptions/);
    expect(await refused('set_breakpoint', { file: 'a' })).toMatch(/needs file and line, or function/);
  });

  it('shows many variables in pages, and no control characters', async () => {
    const { debug } = await open();
    await debug('launch', { program: 'a.small' });
    const first = await debug('variables', { scope_id: 5 });
    expect(first.text).toMatch(/v99 = 99\n… 150 more; go on with offset 100\.$/);
    expect((await debug('variables', { scope_id: 5, offset: 245, count: 3 })).text).toBe(
      'v245 = 245\nv246 = 246\nv247 = 247\n… 2 more; go on with offset 248.',
    );
    expect((await debug('threads')).text).toBe('* 1 only one');
    expect((await debug('evaluate', { expression: 'a' })).text).toBe('repl: a');
    expect((await debug('evaluate', { expression: 'a', context: 'hover' })).text).toBe('hover: a');
    expect((await debug('set_variable', { name: 'a', value: '7' })).text).toBe('a = a=7');
    expect((await debug('modules', { start_module: 1, module_count: 2 })).text).toBe('lib1\nlib2');
    expect((await debug('loaded_sources')).text).toBe('/x/prog');
    const custom = await debug('custom_request', { command: 'scopes', arguments: { frameId: 1 } });
    expect(custom.details['customBody']).toMatchObject({ scopes: [{ name: 'all' }] });
  });

  it('may be slow: the request is given up, the session goes on; its end is told', async () => {
    const { debug, refused } = await open();
    await debug('launch', { program: 'a.small' });
    expect(await refused('custom_request', { command: 'quiet', timeout: 1 })).toMatch(
      /did not answer quiet within 5 seconds/,
    );
    expect((await debug('stack_trace')).text).toMatch(/#0 main/);
    const ended = await debug('step_over');
    expect(ended.text).toBe('The program has ended with exit code 3.');
    expect(await refused('stack_trace')).toMatch(/No program is being debugged/);
  });

  it('that refuses or hangs at the start leaves nothing behind', async () => {
    const hanging = await open('hang');
    expect(await hanging.refused('launch', { program: 'a.small', timeout: 5 })).toMatch(/did not answer launch/);
    expect((await hanging.debug('sessions')).text).toBe('There are no debug sessions.');
    await hanging.dispose();
    const { refused } = await open('refuse');
    expect(await refused('launch', { program: 'a.small' })).toMatch(/not today/);
  });
});

describe('requests of an adapter', () => {
  for (const profile of ['full', 'auto'])
    it(`for a terminal start the program in the same sandbox (${profile})`, async () => {
      const { debug } = await open('terminal', { sandbox: { profile, readable: [SMALL] } });
      await debug('launch', { program: 'a.small' });
      await until(async () => /from the terminal/.test((await debug('output')).text), 'the program writes');
      expect((await debug('output')).text).toMatch(/terminal opened/);
    });

  it('that are unknown, or cannot be met, are refused', async () => {
    const unknown = await open('unknown');
    await unknown.debug('launch', { program: 'a.small' });
    expect((await unknown.debug('output')).text).toMatch(/coffee false: Tenon does not know the request makeCoffee/);
    await unknown.dispose();
    const { debug } = await open('child');
    await debug('launch', { program: 'a.small', adapter: 'small', stop_on_entry: false, timeout: 5 });
    expect((await debug('output')).text).toMatch(/child false this adapter serves only one session/);
  });

  it('for a child session open one, and the one that stops is looked at', async () => {
    const { debug } = await open('child');
    const launched = await debug('launch', { program: 'a.small', adapter: 'server', stop_on_entry: true });
    expect(launched.details.snapshot).toMatchObject({ state: 'stopped', stopReason: 'entry', children: ['debug-1.1'] });
    expect((await debug('sessions')).text.split('\n')).toHaveLength(2);
    expect((await debug('stack_trace')).text).toMatch(/#0 main/);
    expect((await debug('output')).text).toMatch(/child true/);
    expect((await debug('terminate')).text).toMatch(/has ended/);
  });
});
