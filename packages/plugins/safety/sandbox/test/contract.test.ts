import { cliCommands, folders } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { pluginContract } from '@tenon/kernel/testing';
import { inlineCandidate } from '@tenon/kernel/testing';
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
