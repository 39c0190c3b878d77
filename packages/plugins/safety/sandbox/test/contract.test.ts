import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { doctorChecks } from '@tenon/doctor/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const slots = inlineCandidate(
  { id: 'slots', defines: [cliCommands, doctorChecks], activate: () => undefined },
  { defines: { slots: [cliCommands.id, doctorChecks.id] } },
);
const places = { config: '/c', data: '/d', state: '/s', cache: '/x', home: '/h', cwd: '/' };

it('keeps the contract of plugins', async () => {
  await pluginContract({ source, plugin, services: [[folders, places]], others: [slots] });
});
