/** What Gemini extensions hold. */
import { isInside } from '@tenon/host';
import { readAgents } from '../readers/agent-definitions.ts';
import { readGeminiCommands } from '../readers/command-files.ts';
import { readContextFile } from '../readers/context-files.ts';
import { addGroupedHooks } from '../readers/external-hooks.ts';
import { addMcpServers } from '../readers/mcp-servers.ts';
import { readSkills } from '../readers/skills.ts';
import { inside } from '../search.ts';
import type { BundleReaders } from './bundle-readers.ts';

const MANIFEST = 'gemini-extension.json';

/** Readers for Gemini extensions. */
export const geminiReaders: BundleReaders = {
  async contextFiles(search, place, { manifest }) {
    const declaration = manifest['contextFileName'];
    const names = (Array.isArray(declaration) ? declaration : [declaration ?? 'GEMINI.md']) as readonly unknown[];
    for (const name of names) {
      if (typeof name !== 'string') continue;
      const file = inside(place, name);
      if (!isInside(file.path, place.path))
        search.wrong(inside(place, MANIFEST), `"${name}" leads out of the extension`);
      else await readContextFile(search, file, { includes: true });
    }
  },
  skills: (search, place) => readSkills(search, inside(place, 'skills')),
  commands: (search, place) => readGeminiCommands(search, inside(place, 'commands')),
  agents: (search, place) => readAgents(search, inside(place, 'agents')),
  async externalHooks(search, place) {
    const file = inside(place, 'hooks', 'hooks.json');
    const record = await search.record(file, 'json');
    if (record)
      addGroupedHooks(search, file, record['hooks'] ?? record, { dialect: 'gemini', timeoutUnit: 'milliseconds' });
  },
  async mcpServers(search, place, { manifest }) {
    addMcpServers(search, inside(place, MANIFEST), manifest['mcpServers'], {
      variableRules: ['braces'],
      urlMeans: 'sse',
    });
  },
};
