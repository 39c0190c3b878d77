import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.doUnmock('@tenon/native');
  vi.resetModules();
});

describe('a call that only reads inside of the workspace', () => {
  it('loads neither the parser nor a policy', async () => {
    vi.resetModules();
    const loaded: string[] = [];
    vi.doMock('@tenon/native', () => ({
      loadAccelerator: () => (loaded.push('parser'), Promise.reject(new Error('not needed'))),
    }));
    vi.doMock('yaml', () => (loaded.push('yaml'), {}));
    const { startTenon } = await import('./tenon.ts');
    const { makeHome } = await import('./support.ts');
    const home = makeHome();
    const tenon = await startTenon(home.folders);
    expect((await tenon.call('read', { path: 'src/a.ts' })).isError).toBeUndefined();
    expect((await tenon.call('write', { path: 'src/a.ts', content: '' })).isError).toBeUndefined();
    expect(loaded).toEqual([]);
    // A command needs the parser, and without one it is refused.
    expect((await tenon.call('bash', { command: 'ls' })).isError).toBe(true);
    expect(loaded).toEqual(['parser']);
    await tenon.end();
    home.remove();
  });
});
