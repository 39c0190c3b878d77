import { canonicalKey } from '@tenon/components';
import { later } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { Keymap } from '../src/keys/keymap.ts';
import { openKeys } from '../src/pickers/keys.ts';
import { openSessions } from '../src/pickers/sessions.ts';
import { seatedWorld } from './pickers-seat.ts';

const said = (text: string) => ({ role: 'user' as const, content: text, timestamp: Date.now() });

describe('the keymap', () => {
  it('names real keys only, and gives each action of the screen, the editor, lists and pagers a summary', () => {
    const actions = new Keymap().list();
    for (const area of ['app.', 'editor.', 'list.', 'pager.'])
      expect(actions.filter(({ name }) => name.startsWith(area)).length).toBeGreaterThan(5);
    for (const { name, summary, keys } of actions) {
      expect([name, summary === '']).toEqual([name, false]);
      for (const key of keys) expect([name, key, canonicalKey(key) === undefined]).toEqual([name, key, false]);
    }
  });

  it('gives packs no key that types, sends or is taken, and none of the names of others', () => {
    const keymap = new Keymap();
    const wished = [
      'a',
      'A',
      'shift+a',
      'space',
      'enter',
      'ctrl+m',
      'tab',
      'ctrl+i',
      'up',
      'backspace',
      'escape',
      'ctrl+[',
      'shift+enter',
    ];
    keymap.addForeign({
      'notes.open': { summary: 'Open', keys: [...wished, 'ctrl+c', 'ctrl+a', 'hyper+x', 'alt+x', 'f9', 'shift+f9'] },
      'editor.submit': { summary: 'Mine', keys: ['f8'] },
    });
    expect(keymap.keysOf('notes.open')).toEqual(['alt+x', 'f9', 'shift+f9']);
    expect(keymap.keysOf('editor.submit')).toContain('enter');
    for (const data of ['a', 'A', ' ', '\r', '\n', '\t', '\x1b', '\x7f', '\x03', '\x01', '\x1b[A'])
      expect([data, keymap.foreignAction(data)]).toEqual([data, undefined]);
    expect(keymap.foreignAction('\x1bx')).toBe('notes.open');
    // The user decides otherwise.
    keymap.setUserKeys({ 'notes.open': 'ctrl+y' });
    expect(keymap.foreignAction('\x19')).toBe('notes.open');
    expect(keymap.foreignAction('\x1bx')).toBeUndefined();
  });

  it('finds nothing wrong with its own keys, nor with those that a user writes out again', () => {
    const keymap = new Keymap();
    expect(keymap.setUserKeys({})).toEqual([]);
    const same = Object.fromEntries(keymap.list().map(({ name, keys }) => [name, keys]));
    expect(keymap.setUserKeys(same)).toEqual([]);
  });

  it.each([
    ['an action that is none', { 'app.none': 'f1' }, /names "app.none", which is not an action/],
    ['a key that is none', { 'app.expand': 'ctrl+nothing' }, /has "ctrl\+nothing" for app.expand, which is not a key/],
    ['a modifier that is none', { 'app.expand': 'hyper+a' }, /"hyper\+a".*not a key/],
    ['a key of another action', { 'app.expand': 'Ctrl+t' }, /ctrl\+t is for app.expand and for app.transcript/],
    [
      'a key of the editor',
      { 'app.plan': 'ctrl+k' },
      /ctrl\+k is for app.plan and for editor.killToEnd; app.plan gets/,
    ],
    ['a key of a list', { 'list.rename': 'down' }, /down is for list.rename and for list.down; list.rename gets it/],
    ['a key that closes lists', { 'list.remove': 'esc' }, /escape is for app.interrupt and for list.remove/],
  ])('tells about %s', (_what, keys, problem) => {
    expect(new Keymap().setUserKeys(keys).join('\n')).toMatch(problem);
  });

  it('lets actions have the same key that never meet: of the editor, of a list, of another list', () => {
    expect(
      new Keymap().setUserKeys({ 'list.rename': ['ctrl+y', 'ctrl+k'], 'app.plan': 'f2', 'pager.next': 'f2' }),
    ).toEqual([]);
  });
});

it('rebinds the keys of a list, and the list says so', async () => {
  const { seat, store, cwd } = await seatedWorld();
  for (const title of ['older', 'newer']) {
    const session = await store.create({ cwd });
    await session.append('message', { message: said(`about ${title}`) });
    await session.setTitle(title, 'user');
    await session.close();
  }
  seat.keymap.setUserKeys({ 'list.rename': 'ctrl+y', 'list.down': 'ctrl+t', 'list.remove': [] });
  const open = openSessions(seat);
  later(() => open);
  await seat.sees('older', 'ctrl+y rename');
  expect(seat.seen()).not.toContain('remove');
  const first = seat.selected();
  seat.press('down', 'ctrl+r', 'ctrl+d');
  await seat.sees('ctrl+y rename');
  expect(seat.selected()).toBe(first);
  seat.press('ctrl+t');
  await seat.sees('2/');
  seat.press('ctrl+y');
  await seat.sees('Name of the session');
  seat.press('escape');
  await seat.sees('ctrl+y rename');
  seat.press('escape');
  await open;
});

it('lists the keys of lists where all keys are listed', async () => {
  const { seat } = await seatedWorld();
  const open = openKeys(seat, { actions: seat.keymap.list() });
  await seat.sees('Keys and slash commands');
  seat.press('list.rename');
  await seat.sees('Sessions: rename');
  seat.press('escape');
  await open;
});
