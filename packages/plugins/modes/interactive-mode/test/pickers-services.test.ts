import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingsLayers } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { jobs } from '@tenon/jobs/api';
import { commandLine } from '@tenon/command-line/api';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { openAgents } from '../src/pickers/agents.ts';
import { openExtensions } from '../src/pickers/extensions.ts';
import { openJobs } from '../src/pickers/jobs.ts';
import { openMarketplace } from '../src/pickers/marketplace.ts';
import { openMcp } from '../src/pickers/mcp.ts';
import { openModel } from '../src/pickers/model.ts';
import { openRewind } from '../src/pickers/rewind.ts';
import { openSettings } from '../src/pickers/settings.ts';
import { seatedWorld } from './pickers-seat.ts';

const write = (path: string, content: string) => ({ calls: [{ name: 'write', arguments: { path, content } }] });

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

describe('going back', () => {
  async function conversation() {
    const cwd = temporaryFolder('rewind');
    writeFileSync(join(cwd, 'notes'), 'mine\n');
    const world = await seatedWorld({
      home: temporaryFolder('rewind-home'),
      cwd,
      plugins: ['file-tools', 'documents', 'trust', 'sandbox', 'approval', 'undo'],
      script: [write('notes', 'first\n'), { text: 'ok' }, write('notes', 'second\n'), { text: 'ok' }],
    });
    await world.agent.prompt('change it');
    await world.agent.prompt('change it again');
    return { ...world, notes: () => readFileSync(join(cwd, 'notes'), 'utf8') };
  }

  it('shows the messages newest first with the files since, and takes the conversation alone or files along', async () => {
    const { seat, agent, notes } = await conversation();
    expect(notes()).toBe('second\n');
    const done = openRewind(seat);
    await seat.sees('Go back to before…', '❯ change it again', 'revert notes');
    seat.press('enter');
    await seat.sees('What goes back?', '1 file');
    seat.press('escape');
    await seat.sees('Go back to before…');
    seat.press('enter');
    await seat.sees('What goes back?');
    seat.press('enter');
    await done;
    expect([seat.draft, notes()]).toEqual(['change it again', 'second\n']);
    expect(agent.session.context().messages.at(-1)?.role).toBe('assistant');
    // What another branch wrote since is not taken back with this one, so there is nothing to ask.
    const again = openRewind(seat);
    await seat.sees('❯ change it', 'stays: notes');
    seat.press('enter');
    await again;
    expect([seat.draft, notes(), seat.shownSessions]).toEqual(['change it', 'second\n', 2]);
  });

  it('restores files as they were before the message', async () => {
    const { seat, agent, notes } = await conversation();
    const done = openRewind(seat);
    await seat.sees('❯ change it again');
    seat.press('end', 'enter');
    await seat.sees('What goes back?');
    seat.press('down', 'enter');
    await done;
    expect([seat.draft, notes()]).toEqual(['change it', 'mine\n']);
    expect(agent.session.context().messages).toEqual([]);
    expect(seat.notices[0]).toContain('1 file restored');
  });

  it('to the beginning of nothing is not possible', async () => {
    const { seat } = await seatedWorld();
    await openRewind(seat);
    expect(seat.notices[0]).toContain('Nothing was said yet');
  });
});

describe('settings', () => {
  const SAMPLE = inlineCandidate(
    { id: 'sample', activate: () => undefined },
    {
      settings: {
        type: 'object',
        additionalProperties: false,
        properties: {
          quick: { type: 'boolean', default: false, description: 'Whether it hurries.' },
          pace: { type: 'string', enum: ['walk', 'run'], default: 'walk' },
          steps: { type: 'integer', minimum: 1, default: 3, description: 'How many steps.' },
        },
      },
    },
  );

  /** The settings of the plugin `models`, whose registry is scripted here. */
  const MODELS = inlineCandidate(
    { id: 'models', activate: () => undefined },
    {
      settings: {
        type: 'object',
        properties: { roles: { type: 'object', default: {}, additionalProperties: { type: 'string' } } },
      },
    },
  );

  async function withLayer() {
    const values: Record<string, Record<string, unknown>> = {};
    const layer = {
      name: 'own file',
      rank: 10,
      read: async () => ({ values: structuredClone(values), origin: 'own.yml' }),
      write: async (edits: readonly { path: readonly string[]; value?: unknown }[]) => {
        for (const { path, value } of edits) {
          const [section = '', key = '', inner] = path;
          const whole = inner === undefined ? value : { [inner]: value };
          values[section] = { ...values[section], [key]: whole };
          if (whole === undefined) delete values[section]?.[key];
        }
      },
    };
    const files = inlineCandidate(
      { id: 'own-file', activate: (ctx) => void ctx.contribute(settingsLayers, 'own', layer) },
      { contributes: { 'settings-layers': { own: {} } } },
    );
    return { values, ...(await seatedWorld({ plugins: [files, SAMPLE, MODELS] })) };
  }

  it('are found, switched, chosen, typed and set back; what is wrong is refused with the reason', async () => {
    const { seat, values } = await withLayer();
    const done = openSettings(seat);
    await seat.sees('Settings');
    seat.press(...'sample');
    await seat.sees('sample.quick', 'Whether it hurries.');
    seat.press('enter');
    await seat.sees('own file');
    expect(values['sample']).toEqual({ quick: true });
    seat.press('ctrl+u', ...'sample.pace', 'enter');
    await seat.sees('run');
    seat.press('down', 'enter');
    await until(() => values['sample']?.['pace'] === 'run');
    seat.press('ctrl+u', ...'sample.steps', 'enter');
    await seat.sees('sample.steps = 3');
    seat.press('backspace', '0', 'enter');
    await seat.sees('is invalid');
    seat.press('enter', 'ctrl+u', ...'12', 'enter');
    await until(() => values['sample']?.['steps'] === 12);
    await seat.losesSight('is invalid');
    seat.press('ctrl+r');
    await until(() => values['sample']?.['steps'] === undefined);
    seat.press('escape');
    await done;
  });

  it('say which model plays a role, and the list of models shows it', async () => {
    const { seat, values } = await withLayer();
    const done = openModel(seat);
    await seat.sees('Model', 'seeing');
    seat.press('down', 'ctrl+s');
    await seat.sees('Role of test/seeing', 'short jobs');
    seat.press('down', 'enter');
    await seat.sees('[small]');
    seat.press('escape');
    await done;
    expect(values).toEqual({ models: { roles: { small: 'test/seeing' } } });
  });

  it('are not changed where an agent runs the screen', async () => {
    const { seat, values } = await withLayer();
    process.env['TENON_AGENT'] = '1';
    try {
      const done = openSettings(seat);
      await seat.sees('Settings');
      seat.press(...'sample.quick', 'enter');
      await seat.sees('Only a person may change settings');
      seat.press('escape');
      await done;
    } finally {
      delete process.env['TENON_AGENT'];
    }
    expect(values).toEqual({});
  });
});

describe('background jobs', () => {
  it('show their output while they run, and are stopped after a question', async () => {
    const { seat, agent, kernel } = await seatedWorld({ plugins: ['jobs'] });
    await openJobs(seat);
    expect(seat.notices[0]).toContain('no background job');
    const table = await kernel.find(jobs);
    table.start({
      session: agent.session.id,
      type: 'bash',
      label: 'npm run watch',
      run: ({ signal, progress }) => {
        progress('compiled\n\x1b[2Jwaiting for changes');
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }));
        });
      },
    });
    const done = openJobs(seat);
    await seat.sees('Background jobs', 'npm run watch', 'running', 'waiting for changes');
    seat.press('enter');
    await seat.sees('1-2/2');
    seat.press('q');
    await seat.sees('Background jobs');
    seat.press('ctrl+k');
    await seat.sees('Stop bash-1');
    seat.press('down', 'enter');
    await seat.sees('cancelled');
    seat.press('escape');
    await done;
    expect(table.list(agent.session.id)[0]?.status).toBe('cancelled');
  });
});

describe('what others bring', () => {
  const PLUGINS = ['command-line', 'trust', 'discovery', 'pack-host', 'packs', 'marketplace', 'mcp', 'pi-compat'];

  async function withOthers(prepare: (home: string, cwd: string) => void) {
    const home = temporaryFolder('others');
    const cwd = temporaryFolder('others-project');
    mkdirSync(join(cwd, '.git'));
    prepare(home, cwd);
    return seatedWorld({ home, cwd, plugins: PLUGINS });
  }

  it('MCP servers show how they are, and are switched off and on', async () => {
    const { seat, home } = await withOthers((folder) =>
      put(folder, { 'config/mcp.json': JSON.stringify({ mcpServers: { notes: { command: 'true' } } }) }),
    );
    const done = openMcp(seat);
    await seat.sees('MCP servers', 'notes', 'config/mcp.json');
    seat.press('enter');
    await seat.sees('Switch it off', 'Read what it printed');
    seat.press('down', 'enter');
    await until(() => seat.notices.length === 1, 'it is switched off');
    await seat.sees('MCP servers', 'notes  off');
    expect(JSON.stringify(JSON.parse(readFileSync(join(home, 'config', 'mcp.json'), 'utf8')))).toContain('notes');
    seat.press('enter');
    await seat.sees('Switch it on');
    seat.press('enter');
    await until(() => seat.notices.length === 2, 'it is switched on');
    await seat.sees('MCP servers', 'notes  on');
    seat.press('escape');
    await done;
  });

  it('subagents show where they come from, and their definitions', async () => {
    const home = temporaryFolder('others');
    const cwd = temporaryFolder('others-project');
    put(cwd, {
      '.tenon/agents/migrations.md': '---\ndescription: Writes migrations\n---\nYou write \u001b[2Jmigrations.',
    });
    const plugins = ['command-line', 'trust', 'jobs', 'discovery', 'planning-tools', 'approval', 'subagents'];
    const { seat } = await seatedWorld({ home, cwd, plugins });
    const done = openAgents(seat);
    await seat.sees('Subagents', 'explore', 'bundled', 'migrations', 'Writes migrations');
    seat.press('migra');
    await seat.sees('❯ migrations', '.tenon/agents/migrations.md');
    seat.press('enter');
    await seat.sees('starts: no others', 'migrations.');
    seat.press('q');
    await seat.sees('Subagents');
    seat.press('escape', 'escape');
    await done;
  });

  it('extensions and packs show whether they run, and are switched', async () => {
    const { seat } = await withOthers((folder) =>
      put(folder, { '.omp/agent/extensions/greet.ts': 'export default () => undefined;\n' }),
    );
    const done = openExtensions(seat);
    await seat.sees('Extensions of pi', 'greet', 'runs');
    seat.press('enter');
    await seat.sees('Run it without a sandbox');
    seat.press('enter');
    await seat.sees('greet', 'not loaded');
    seat.press('enter');
    await seat.sees('Switch it on');
    seat.press('down', 'enter');
    await seat.sees('do everything that you can?');
    seat.press('enter');
    await until(() => seat.notices.length > 1);
    expect(seat.notices.join('\n')).toContain('"greet" is off.');
    await seat.sees('Packs and extensions');
    seat.press('escape');
    await done;
  });

  it('plugins of a marketplace are installed after a look at what they bring, and removed', async () => {
    const market = temporaryFolder('market');
    put(market, {
      '.claude-plugin/marketplace.json': JSON.stringify({
        name: 'acme',
        owner: { name: 'Acme' },
        plugins: [{ name: 'quiet', source: './plugins/quiet', description: 'Makes the model think' }],
      }),
      'plugins/quiet/.claude-plugin/plugin.json': JSON.stringify({ name: 'quiet', version: '1.0.0' }),
      'plugins/quiet/skills/think/SKILL.md': '---\nname: think\ndescription: Thinks.\n---\nThink first.\n',
    });
    const { seat, kernel, cwd } = await withOthers(() => undefined);
    await openMarketplace(seat);
    expect(seat.notices[0]).toContain('tenon marketplace add');
    const line = await kernel.find(commandLine);
    const silent = async () => undefined;
    const io = { out: silent, err: silent, json: silent, color: false, interactive: false, width: 80 };
    const { signal } = new AbortController();
    expect(await line.run(['marketplace', 'add', market], { io, cwd, signal, help: false })).toBe(0);
    const done = openMarketplace(seat);
    await seat.sees('acme', 'quiet', 'Makes the model think');
    seat.press('enter');
    await seat.sees('Install it');
    seat.press('enter');
    await seat.sees('Install quiet@acme');
    expect(seat.printed.join('\n')).toContain('quiet@acme 1.0.0');
    seat.press('enter');
    await until(() => seat.notices.length > 1);
    await seat.sees('Marketplaces');
    expect(seat.seen()).not.toContain('installed 1.0.0');
    seat.press('enter');
    await seat.sees('Install it');
    seat.press('enter');
    await seat.sees('Install quiet@acme');
    seat.press('down', 'enter');
    await seat.sees('installed 1.0.0');
    seat.press('enter');
    await seat.sees('Bring it up to date');
    seat.press('down', 'enter');
    await seat.sees('Remove quiet@acme?');
    seat.press('down', 'enter');
    await seat.sees('Marketplaces');
    await seat.losesSight('installed 1.0.0');
    seat.press('escape');
    await done;
  });
});
