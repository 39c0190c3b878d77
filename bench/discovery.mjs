/** By how much a home full of other tools' files delays the first prompt: the same prompt in an empty home beside it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { measureCommands } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SKILLS = 500;
const COMMANDS = 200;
const MCP_CONFIGS = 50;
const TARGET_MS = 50;

/** @param {{ quick: boolean, workDir: string }} ctx */
export async function run({ quick, workDir }) {
  const program = join(ROOT, 'packages/cli/bin/tenon.mjs');
  const folder = mkdtempSync(join(workDir, 'discovery-'));
  try {
    const empty = makePlace(folder, 'empty');
    const full = makePlace(folder, 'full');
    fillHome(full.home);
    const prompt = [process.execPath, program, '-p', 'hello'];
    const forget = 'rm -rf "$HOME/.cache/tenon/discovery"; exec "$@"';
    const cases = [
      caseOf('an empty home', empty, 'exec "$@"', prompt),
      caseOf('warm', full, 'exec "$@"', prompt),
      caseOf('cold', full, forget, prompt),
    ];
    const times = measureCommands(cases, { rounds: quick ? 5 : 25 });
    const delay = (name) => Math.max(times[name] - times['an empty home'], 0.1);
    const row = (name, title, target) => ({
      case: title,
      ours: delay(name),
      peers: { 'the whole prompt in an empty home': times['an empty home'] },
      ratio: delay(name) / times['an empty home'],
      ...(target !== undefined && { target }),
    });
    return {
      name: 'discovery',
      title: 'First prompt in a home full of files',
      unit: 'ms',
      note:
        `A home with ${SKILLS} skills, ${COMMANDS} commands and ${MCP_CONFIGS} MCP configurations (switched off, so that no ` +
        'server starts). "Tenon" is what `tenon -p hello` takes longer than in an empty home: everything that is found, ' +
        'and what it adds to the prompt.',
      rows: [row('warm', 'delay, cache warm', `at most ${TARGET_MS} ms`), row('cold', 'delay, nothing cached')],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makePlace(folder, name) {
  const home = join(folder, name);
  const cwd = join(home, 'work', 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  return { home, cwd };
}

/** A command of which the first words are run by a shell, so that all cases start alike. */
function caseOf(name, { home, cwd }, script, words) {
  const env = { PATH: process.env.PATH, HOME: home, TENON_LOG: 'off' };
  return { name, command: '/bin/sh', args: ['-c', script, 'sh', ...words], env, cwd };
}

/** Files as people have them: several tools, some lines of frontmatter, a page of text. */
function fillHome(home) {
  const write = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const page = 'Do this first, then that, and check the result with the tests.\n'.repeat(20);
  const skillRoots = ['.claude', '.codex', '.agents', '.config/tenon'];
  for (let at = 0; at < SKILLS; at += 1) {
    const name = `skill-${at}`;
    const head = `name: ${name}\ndescription: Does the ${at}th thing; use it when the ${at}th thing is to be done.\nlicense: MIT\nmetadata:\n  author: somebody\n  version: "1.0"`;
    write(`${skillRoots[at % skillRoots.length]}/skills/${name}/SKILL.md`, `---\n${head}\n---\n\n# ${name}\n\n${page}`);
  }
  for (let at = 0; at < COMMANDS; at += 1)
    write(
      `.claude/commands/group-${at % 10}/command-${at}.md`,
      `---\ndescription: Runs step ${at}\nargument-hint: <file>\nallowed-tools: Read, Grep\n---\n\nRun step ${at} on $ARGUMENTS.\n\n${page}`,
    );
  for (let at = 0; at < MCP_CONFIGS; at += 1) {
    const servers = { [`server-${at}`]: { command: 'node', args: ['server.js'], enabled: false, disabled: true } };
    write(
      `.gemini/extensions/ext-${at}/gemini-extension.json`,
      JSON.stringify({ name: `ext-${at}`, mcpServers: servers }),
    );
  }
}
