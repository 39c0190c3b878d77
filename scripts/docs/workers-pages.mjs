import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadSource } from '../load-source.mjs';
import { code, pageHead, table, typeText } from './markdown.mjs';

const FOLDER = 'docs/reference/workers';
const GUIDE = 'docs/guide/workers.md';
const BEGIN = '<!-- workers: begin. Made by `node scripts/generate-docs.mjs`. Do not edit. -->';
const END = '<!-- workers: end -->';

/**
 * docs/reference/workers: one page for each coding CLI that Tenon drives, an index, and the table of the guide, from what the
 * adapters say about themselves.
 * @param {string} root
 */
export async function workerPages(root) {
  const { BUILT_IN, agentContract, fingerprint, normalizeCapabilities } = await loadSource(
    root,
    `export { BUILT_IN } from './packages/plugins/workers/workers/src/adapters/built-in.ts';
     export { agentContract } from './packages/plugins/workers/workers/src/contract/contract.ts';
     export { fingerprint, normalizeCapabilities } from './packages/plugins/workers/workers/src/capabilities/fingerprint.ts';`,
  );
  const workers = [];
  for (const load of Object.values(BUILT_IN)) {
    const { spec } = (await load()).adapter;
    const capabilities = normalizeCapabilities(spec.capabilities);
    workers.push({ ...spec, capabilities, fingerprint: fingerprint(capabilities) });
  }
  workers.sort((a, b) => (a.id < b.id ? -1 : 1));
  const tools = ownTools(root).filter(
    ({ ownConversation, origin }) => ownConversation !== true && origin === undefined,
  );
  const contract = agentContract(tools, ['tenon']);
  return [indexPage(workers, contract), ...workers.map(workerPage), guidePage(root, workers)];
}

function indexPage(workers, contract) {
  const head = pageHead(
    'Workers',
    `The coding CLIs that Tenon can drive. \`tenon worker list\` says which are installed here, \`tenon worker doctor\` whether they
work, and \`tenon worker capabilities --json\` gives these pages as data. How runs work is in [the guide](../../guide/workers.md).`,
  );
  const tools = `## Tenon's tools for workers

\`tenon run --offer-tools\` offers these to a worker over MCP (\`tenon worker contract\`). None of them changes files or runs programs;
\`--tool-surface raw\` offers all tools, under their own names.

${contract.docsGuidance}
`;
  return { path: `${FOLDER}/README.md`, text: `${head}\n${supportTable(workers, '')}\n\n${tools}` };
}

/** The tools that Tenon's own plugins bring, as their manifests describe them. @param {string} root */
function ownTools(root) {
  const folder = join(root, 'packages/plugins');
  const foldersIn = (path) =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(path, entry.name)] : [],
    );
  const manifests = foldersIn(folder)
    .flatMap(foldersIn)
    .map((path) => join(path, 'package.json'));
  return manifests.filter(existsSync).flatMap((file) => {
    const { tools = {} } = JSON.parse(readFileSync(file, 'utf8')).tenon?.contributes ?? {};
    return Object.entries(tools).map(([name, data]) => ({ name, ...data }));
  });
}

/** What each CLI supports. */
function supportTable(workers, folder) {
  const rows = workers.map(({ id, name, verified, capabilities: can }) => [
    `[${name}](${folder}${id}.md)`,
    code(id),
    verified ?? 'not tried',
    can.output,
    can.resume === 'none' ? '' : 'yes',
    yes(can.interactive),
    can.models ? 'yes' : '',
    can.structuredOutput === 'native' ? 'own' : can.structuredOutput === 'prompt' ? 'in words' : '',
    can.mcp === 'none' ? '' : 'yes',
    usageText(can),
    yes(can.ownSandbox),
  ]);
  const head = [
    'CLI',
    'Name',
    'Tried with',
    'Output',
    'Resume',
    'Hijack',
    'Models',
    'Schema',
    'MCP',
    'Usage',
    'Own sandbox',
  ];
  return table(head, rows);
}

function yes(value) {
  return value ? 'yes' : '';
}

function usageText({ usage, cost }) {
  if (usage === 'none') return '';
  return cost ? 'tokens, cost' : 'tokens';
}

function workerPage(worker) {
  const { id, name, homepage, verified, options, fingerprint } = worker;
  const tried = verified === undefined ? 'It could not be tried with the real program yet.' : `Tried with ${verified}.`;
  const title = homepage === undefined ? name : `[${name}](${homepage})`;
  const parts = [
    pageHead(name, `${title} as a worker: \`tenon run "task" --worker ${id}\`. ${tried}`),
    `${table(['', ''], factRows(worker))}\n`,
    `## Options\n\n${optionsText(options, id)}\n`,
    `## Capabilities\n\n${table(['', ''], capabilityRows(worker.capabilities))}\n`,
    `Fingerprint: \`${fingerprint}\`\n`,
    `## Tools\n\n${toolsText(worker)}\n`,
  ];
  return { path: `${FOLDER}/${id}.md`, text: parts.join('\n') };
}

function factRows({ program, install, vendor, keyVariables, env = {}, dropVariables = [], hosts, state, probe }) {
  return [
    ['Program', code(program)],
    ...(install === undefined ? [] : [['Install', code(install)]]),
    ['Accounts of', code(vendor)],
    ['Keys', list(keyVariables)],
    ['Variables that are set', list(Object.entries(env).map(([key, value]) => `${key}=${value}`))],
    ...(dropVariables.length === 0 ? [] : [['Variables that are removed', list(dropVariables)]]),
    ['Hosts', list(hosts)],
    [
      'Its own folders',
      list(state.map(({ path, variable }) => (variable === undefined ? path : `${path} (${variable})`))),
    ],
    ...closedRow(state),
    ['Key check', probeText(probe)],
  ];
}

/** What it cannot change in a sandbox, of what it could write otherwise. */
function closedRow(state) {
  const names = state.flatMap(({ path, closed = {} }) => Object.keys(closed).map((name) => `${path}/${name}`));
  return names.length === 0 ? [] : [['Read-only in the sandbox', list(names)]];
}

function list(values) {
  return values.length === 0 ? 'none' : values.map(code).join(', ');
}

function probeText(probe) {
  if (probe === undefined || probe.kind === 'none') return 'none: it manages its login itself';
  const form = probe.pattern === undefined ? [] : [`form ${code(probe.pattern)}`];
  const request = probe.kind === 'http' && probe.url !== undefined ? [`GET ${code(probe.url)}`] : [];
  const base = probe.base === undefined ? [] : [`another server by ${code(probe.base.variable)}`];
  const login = probe.fallback === undefined ? [] : [`without a key ${code(probe.fallback.join(' '))}`];
  return [...form, ...request, ...base, ...login].join(', ');
}

function optionsText({ properties = {} }, id) {
  const rows = Object.entries(properties).map(([name, option]) => [
    code(name),
    flagText(option),
    typeText(option),
    option.description ?? '',
  ]);
  if (rows.length === 0) return 'None.';
  return `\`tenon run … --worker ${id} --option NAME=VALUE\`.\n\n${table(['Option', 'Flag', 'Type', 'Meaning'], rows)}`;
}

function flagText(option) {
  const on = option['x-flag'];
  const off = option['x-flag-off'];
  return [on, off]
    .filter((flag) => flag !== undefined)
    .map(code)
    .join(', ');
}

const MEANINGS = {
  output: 'Output',
  resume: 'Sessions are gone on with by',
  presetSession: 'A session can be named beforehand',
  interactive: 'Its screen opens on a session',
  systemPrompt: 'Instructions',
  structuredOutput: 'Structured answers',
  models: 'The model can be chosen',
  images: 'Images',
  mcp: 'MCP servers',
  addFolders: 'More folders',
  usage: 'Tokens are counted',
  cost: 'Cost is known',
  ownSandbox: 'A sandbox of its own',
  yolo: 'Questions are skipped',
};

const VALUES = {
  systemPrompt: { flag: 'by a flag', prompt: 'before the task' },
  structuredOutput: { native: 'its own', prompt: 'asked for in words, checked', none: 'no' },
  mcp: { flag: 'by a flag', file: 'in a file or variable', none: 'no' },
  usage: { run: 'per process', 'session-sum': 'as sums of the session', file: 'in its own files', none: 'no' },
  yolo: { flag: 'by a flag', always: 'always', never: 'never' },
  resume: { id: 'id', latest: 'latest', none: 'nothing' },
};

function capabilityRows(capabilities) {
  return Object.entries(MEANINGS).map(([key, meaning]) => {
    const value = capabilities[key];
    return [meaning, typeof value === 'boolean' ? (value ? 'yes' : 'no') : (VALUES[key]?.[value] ?? String(value))];
  });
}

function toolsText({ capabilities, sideEffects }) {
  const { tools } = capabilities;
  const lasting = (name) =>
    sideEffects.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
  const rows = tools.map(({ name, kind }) => [code(name), kind, lasting(name) ? 'yes' : '']);
  const others = sideEffects.filter((name) => !tools.some((tool) => tool.name === name));
  const more = others.length === 0 ? '' : `\n\nEffects of ${list(others)} last, too.`;
  if (rows.length === 0) return `It names none.${more}`;
  return `A run that is tried again is warned about tools whose effects last.\n\n${table(['Tool', 'Kind', 'Effects last'], rows)}${more}`;
}

/** The page is written by hand but for the table. @param {string} root */
function guidePage(root, workers) {
  const file = join(root, GUIDE);
  const page = existsSync(file)
    ? readFileSync(file, 'utf8')
    : `# Workers\n\n## What each CLI supports\n\n${BEGIN}\n${END}\n`;
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${GUIDE} has lost its marks ${BEGIN} and ${END}`);
  const made = `${BEGIN}\n\n${supportTable(workers, '../reference/workers/')}\n\n`;
  return { path: GUIDE, text: `${page.slice(0, begin)}${made}${page.slice(end)}` };
}
