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
    // The tests themselves may need YAML.
    loaded.length = 0;
    expect((await tenon.call('read', { path: 'src/a.ts' })).isError).toBeUndefined();
    expect((await tenon.call('write', { path: 'src/a.ts', content: '' })).isError).toBeUndefined();
    expect(loaded).toEqual([]);
    // A command that is understood does not need the parser; another does, and without one it is refused.
    expect((await tenon.call('bash', { command: 'pwd' })).isError).toBeUndefined();
    expect(loaded).toEqual([]);
    expect((await tenon.call('bash', { command: '((x))' })).isError).toBe(true);
    expect(loaded).toEqual(['parser']);
    await tenon.end();
    home.remove();
  });
});
