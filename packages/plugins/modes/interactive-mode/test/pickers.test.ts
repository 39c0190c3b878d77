import { modelRegistry } from '@tenon/models/api';
import { MODEL, SEEING } from '@tenon/test-kit/scripted-models';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { openKeys } from '../src/pickers/keys.ts';
import { openModel } from '../src/pickers/model.ts';
import { openSessions } from '../src/pickers/sessions.ts';
import { openTheme } from '../src/pickers/theme.ts';
import { openThinking } from '../src/pickers/thinking.ts';
import { openTree } from '../src/pickers/tree.ts';
import { seatedWorld } from './pickers-seat.ts';

describe('the sessions', () => {
  it('are found by title, prompt and what was said, and the last messages are seen before one opens', async () => {
    const { seat, agent, store, cwd } = await seatedWorld({
      script: [{ text: 'The parser is fine.' }, { text: 'Roses.' }],
    });
    await agent.prompt('look at the parser');
    const first = agent.session.id;
    await agent.newSession();
    await agent.prompt('write a poem');
    const done = openSessions(seat);
    await seat.sees('Sessions of this folder', 'look at the parser', 'write a poem ✓');
    seat.press(...'FINE');
    await until(() => seat.selected().includes('look at the parser'));
    expect(seat.seen()).toContain('1/1');
    await seat.sees('❯ look at the parser', '  The parser is fine.');
    seat.press('enter');
    await done;
    expect([agent.session.id, seat.shownSessions]).toEqual([first, 2]);
    expect(await store.list({ cwd })).toHaveLength(2);
  });

  it('are renamed, and removed only after a question', async () => {
    const { seat, agent, store, cwd } = await seatedWorld();
    await agent.prompt('old work');
    await agent.newSession();
    await agent.prompt('new work');
    const done = openSessions(seat);
    await seat.sees('old work');
    seat.press(...'old', 'ctrl+r');
    await seat.sees('Name of the session');
    seat.press(...'Museum', 'enter');
    await seat.sees('Sessions of this folder', 'Museum');
    expect((await store.list({ cwd })).map(({ title }) => title)).toContain('Museum');
    seat.press('ctrl+d');
    await seat.sees('Remove "Museum" for good?');
    seat.press('enter');
    await seat.sees('Sessions of this folder');
    seat.press('ctrl+d');
    await seat.sees('for good?');
    seat.press('down', 'enter');
    await seat.losesSight('Museum');
    await seat.sees('Sessions of this folder');
    seat.press('ctrl+u', 'ctrl+d');
    await until(() => seat.notices.length > 0);
    expect(seat.notices[0]).toContain('This session is open');
    await seat.sees('new work');
    seat.press('escape');
    await done;
    expect(await store.list({ cwd })).toHaveLength(1);
  });

  it('of other folders are a key away', async () => {
    const { seat, store, home, agent } = await seatedWorld();
    const other = await store.create({ cwd: `${home}/elsewhere` });
    await other.append('message', { message: { role: 'user', content: 'far away', timestamp: 1 } });
    await other.close();
    const done = openSessions(seat);
    await seat.sees('Sessions of this folder');
    expect(seat.seen()).not.toContain('far away');
    seat.press('tab');
    await seat.sees('Sessions of all folders', 'far away', '~/elsewhere');
    seat.press(...'far away', 'enter');
    await done;
    expect(agent.session.id).toBe(other.id);
    expect(seat.notices[0]).toContain('This session began in');
  });
});

describe('the tree', () => {
  it('goes to another place; a message of the user is said anew, and the left branch stays', async () => {
    const { seat, agent } = await seatedWorld({ script: [{ text: 'Answer one.' }, { text: 'Answer two.' }] });
    await agent.prompt('first question');
    await agent.prompt('second question');
    const done = openTree(seat);
    await seat.sees('Session tree', '❯ first question', 'Answer one.', '❯ second question', '← you are here');
    seat.press('up', 'enter');
    await seat.sees('Should the model know');
    seat.press('enter');
    await done;
    expect(seat.draft).toBe('second question');
    expect(agent.session.context().messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    await agent.prompt('another question');
    const again = openTree(seat);
    await seat.sees('├─ • ❯ another question', '└─   ❯ second question');
    seat.press('escape');
    await again;
    expect(seat.shownSessions).toBe(1);
  });

  it('summarizes the left branch as the user says', async () => {
    const { seat, agent, requests } = await seatedWorld({
      script: [{ text: 'One.' }, { text: 'Two.' }, { text: 'It was about two.' }],
    });
    await agent.prompt('first');
    await agent.prompt('second');
    const done = openTree(seat);
    await seat.sees('❯ second');
    seat.press('up', 'enter');
    await seat.sees('Should the model know');
    seat.press('end', 'enter');
    await seat.sees('What should the summary keep?');
    seat.press(...'the numbers', 'enter');
    await done;
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('the numbers');
    expect(JSON.stringify(agent.session.context().messages.at(-1))).toContain('It was about two.');
  });

  it('stays where it was when Esc stops the summary', async () => {
    const { seat, agent } = await seatedWorld({
      script: [{ text: 'One.' }, { text: 'Two.' }, { text: 'x', hold: new Promise(() => undefined) }],
    });
    await agent.prompt('first');
    await agent.prompt('second');
    const { leafId } = agent.session;
    const done = openTree(seat);
    await seat.sees('❯ second');
    seat.press('up', 'enter');
    await seat.sees('Should the model know');
    seat.press('down', 'enter');
    await seat.sees('Summarizing what is left behind… · esc stops');
    seat.press('escape');
    await seat.sees('Session tree');
    expect([agent.session.leafId, seat.shownSessions, seat.notices.length]).toEqual([leafId, 0, 1]);
    seat.press('escape');
    await done;
  });

  it('has labels, and shows less where one wants less', async () => {
    const { seat, agent } = await seatedWorld({
      script: [{ calls: [{ name: 'nothing' }] }, { text: 'Done.' }],
    });
    await agent.prompt('use a tool');
    const done = openTree(seat);
    await seat.sees('calls nothing', 'nothing: failed', '← you are here');
    seat.press('home', 'ctrl+l');
    await seat.sees('Label of this place');
    seat.press(...'start', 'enter');
    await seat.sees('Session tree', '[start]');
    seat.press('tab');
    await seat.sees('shows: without tools');
    expect(seat.seen()).not.toContain('calls nothing');
    seat.press('tab');
    await seat.sees('shows: only yours');
    expect(seat.seen()).not.toContain('Done.');
    seat.press('tab', 'ctrl+l');
    await seat.sees('Label of this place');
    seat.press('ctrl+u', 'enter');
    await seat.sees('There is nothing to go to.');
    seat.press('escape');
    await done;
    expect(agent.session.labels().size).toBe(0);
  });

  it('forks at a message of the user into a session of its own', async () => {
    const { seat, agent } = await seatedWorld();
    await agent.prompt('first');
    await agent.prompt('second');
    const before = agent.session.id;
    const done = openTree(seat);
    await seat.sees('❯ second');
    seat.press('ctrl+f');
    await until(() => seat.notices.length > 0);
    expect(seat.notices).toEqual(['A fork begins at a message of yours; choose one of those.']);
    await seat.sees('Session tree');
    seat.press('up', 'ctrl+f');
    await done;
    expect(agent.session.id).not.toBe(before);
    expect([seat.draft, seat.shownSessions]).toEqual(['second', 1]);
    expect(agent.session.context().messages).toHaveLength(2);
  });
});

describe('models', () => {
  const FAST = { ...MODEL, provider: 'other', id: 'fast', name: 'Fast', reasoning: false };

  it('are chosen by provider, and those that think are asked how hard', async () => {
    const { seat, agent } = await seatedWorld({ models: [MODEL, SEEING, FAST] });
    const done = openModel(seat);
    await seat.sees('Model', 'test', 'm ✓', 'seeing', 'other', 'fast');
    seat.press(...'seeing', 'enter');
    await seat.sees('Thinking level of Seeing', 'xhigh');
    seat.press('end', 'enter');
    await done;
    expect([agent.state.model.id, agent.state.thinking]).toEqual(['seeing', 'xhigh']);
    const again = openModel(seat);
    await seat.sees('Model');
    seat.press(...'fast', 'enter');
    await again;
    expect(agent.state.model.id).toBe('fast');
  });

  it('without a key are hidden until one asks, and say what they lack', async () => {
    const { seat, agent, kernel } = await seatedWorld({ models: [MODEL, FAST] });
    const registry = await kernel.find(modelRegistry);
    const list = registry.list.bind(registry);
    registry.list = async () => (await list()).map((model) => ({ ...model, available: model.provider === 'test' }));
    const done = openModel(seat);
    await seat.sees('m ✓', '1 without a key');
    expect(seat.seen()).not.toContain('fast');
    seat.press('tab');
    await seat.sees('fast', 'tenon auth login other');
    seat.press('end', 'enter');
    await until(() => seat.notices.length > 0);
    expect(seat.notices[0]).toContain('needs a key');
    await seat.sees('Model');
    seat.press('escape');
    await done;
    expect(agent.state.model.id).toBe('m');
  });

  it('think as hard as the user says, where they think at all', async () => {
    const { seat, agent } = await seatedWorld({ models: [MODEL, FAST] });
    const done = openThinking(seat);
    await seat.sees('Thinking level of M', 'thinks thoroughly');
    seat.press('home', 'down', 'down', 'enter');
    await done;
    expect(agent.state.thinking).toBe('low');
    await agent.setModel(FAST);
    await openThinking(seat);
    expect(seat.notices).toEqual(['fast does not think.']);
  });
});

describe('themes', () => {
  it('are seen while one moves, and closing the list brings the old one back', async () => {
    const { seat } = await seatedWorld();
    const applied: string[] = [];
    const saved: string[] = [];
    const choices = {
      names: ['auto', 'dark', 'light'],
      current: 'dark',
      apply: (name: string) => void applied.push(name),
      save: async (name: string) => void saved.push(name),
    };
    const done = openTheme(seat, choices);
    await seat.sees('dark ✓');
    seat.press('down');
    await until(() => applied.includes('light'));
    seat.press('escape');
    await done;
    expect([applied, saved]).toEqual([['light', 'dark'], []]);
    const again = openTheme(seat, choices);
    await seat.sees('dark ✓');
    seat.press('down', 'enter');
    await again;
    expect(saved).toEqual(['light']);
  });
});

describe('help', () => {
  it('lists keys and slash commands, and writes one into the editor', async () => {
    const { seat } = await seatedWorld();
    const done = openKeys(seat, {
      actions: [
        { name: 'app.expand', summary: 'Show all of the tool output', keys: ['ctrl+o'] },
        { name: 'app.held', summary: 'Answer', keys: [] },
      ],
      commands: [{ name: 'model', description: 'Choose a model', argumentHint: '[NAME]' }],
    });
    await seat.sees('Keys', 'ctrl+o', 'Show all of the tool output', '(no key)', 'Slash commands', '/model [NAME]');
    seat.press(...'/mod', 'enter');
    await done;
    expect(seat.draft).toBe('/model ');
  });

  it('begins with the slash commands by name where those were asked for', async () => {
    const { seat } = await seatedWorld();
    const done = openKeys(seat, {
      actions: [{ name: 'app.expand', summary: 'Show all of the tool output', keys: ['ctrl+o'] }],
      commands: [{ name: 'theme' }, { name: 'copy', description: 'Copy' }],
      first: 'commands',
    });
    await seat.sees('Slash commands and keys', '/copy', '/theme');
    expect(seat.seen()).toMatch(/\/copy[^]*\/theme[^]*ctrl\+o/);
    seat.press('escape');
    await done;
  });
});
