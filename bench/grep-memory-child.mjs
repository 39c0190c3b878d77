/** One search in a process of its own; prints its peak memory. Arguments: who, corpus, work folder. */
import { readFileSync } from 'node:fs';

import { load, piNatives } from './grep-peers.mjs';

const PATTERN = 'return';
const [who, corpusDir, workDir] = process.argv.slice(2);

async function search() {
  if (who === 'pi') {
    const pi = piNatives(workDir);
    if (!pi) return undefined;
    const glob = '**/node_modules/**';
    const result = await pi.grep({
      path: corpusDir,
      pattern: PATTERN,
      hidden: true,
      gitignore: false,
      glob,
      mode: 'content',
      maxColumns: 1024,
    });
    return result.matches.length;
  }
  const accelerator = await load('search', 'native');
  if (who === 'idle') return 0;
  const result = await accelerator.grep({ path: corpusDir, pattern: PATTERN, nodeModules: true, gitignore: false });
  if (who === 'tenon-read') {
    let characters = 0;
    for (const file of result.files) for (const line of file.lines) characters += line.text.length;
    if (characters === 0) throw new Error('the corpus has no matches');
  }
  return result.matches;
}

const matches = await search();
// The kernel's own mark of this program; `maxRSS` would include the parent that started it. It counts everything the
// process ever held, the loader of the sources included.
const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
const peakMb = peakKb / 1024;
process.stdout.write(JSON.stringify(matches === undefined ? null : { matches, peakMb }));
