import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadSource } from '../load-source.mjs';
import { code, pageHead, table, typeText } from './markdown.mjs';

const FOLDER = 'docs/reference/tools';

/**
 * docs/reference/tools: one page for each built-in tool and an index, from the same texts and schemas that models get.
 * @param {string} root
 */
export async function toolPages(root) {
  const tools = await describeTools(root);
  return [indexPage(tools), ...tools.map(toolPage)];
}

/** Starts a Tenon that knows nothing of this machine and asks it. @param {string} root */
async function describeTools(root) {
  const { createTenon, tools, editTools } = await loadSource(
    root,
    `export { createTenon } from './packages/sdk/src/index.ts';
     export { tools } from './packages/plugins/foundation/tools/src/api.ts';
     export { editTools } from './packages/plugins/tools/file-tools/src/api.ts';`,
  );
  const home = mkdtempSync(join(tmpdir(), 'tenon-docs-'));
  const tenon = await createTenon({ home, cwd: home, packs: false, environment: { HOME: home, PATH: '' } });
  try {
    const registry = tenon.kernel.read(tools);
    const described = [];
    for (const { key: name, data, source } of registry.list()) {
      const { description, parameters } = await registry.resolve(name);
      const modes = name === 'edit' ? await otherModes(await tenon.kernel.find(editTools)) : [];
      described.push({ name, data, plugin: source.plugin, description, parameters, modes });
    }
    return described.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await tenon.dispose();
    rmSync(home, { recursive: true, force: true });
  }
}

async function otherModes(editing) {
  const others = editing.modes().filter(({ name }) => name !== editing.mode);
  return Promise.all(
    others.map(async ({ name, summary }) => {
      const { description, parameters } = await editing.tool(name);
      return { name, summary, description, parameters };
    }),
  );
}

function indexPage(tools) {
  const rows = tools.map(({ name, data, plugin }) => [
    `[${code(name)}](${fileOf(name)})`,
    data.summary ?? '',
    data.risk ?? '',
    data.discoverable ? 'by search' : 'from the start',
    code(plugin),
  ]);
  const head = pageHead(
    'Tools',
    `What the model can do, out of the box. Tools that are found by search cost nothing in a prompt until \`search_tool_bm25\`
activates them. \`tenon tools list --json\` gives the same for everything that is installed, and
\`tenon tool run NAME --input JSON\` runs one by hand.`,
  );
  const text = `${head}\n${table(['Tool', 'Does', 'Risk', 'Offered', 'Plugin'], rows)}\n`;
  return { path: `${FOLDER}/README.md`, text };
}

function toolPage({ name, data, plugin, description, parameters, modes }) {
  const facts = [
    ['Plugin', code(plugin)],
    ['Risk', data.risk ?? 'not said'],
    ['Offered', data.discoverable ? 'when `search_tool_bm25` finds it' : 'from the start'],
    ['Runs alone', (data.exclusive ?? ['write', 'exec'].includes(data.risk)) ? 'yes' : 'no'],
  ];
  const parts = [
    pageHead(code(name), `${data.summary ?? ''}.`),
    `${table(['', ''], facts)}\n`,
    `## Input\n\n${inputText(parameters)}\n`,
    `## What the model reads\n\n${fenced(description)}\n`,
    ...modes.map(
      (mode) =>
        `## Mode ${code(mode.name)}\n\n${mode.summary}.\n\n${inputText(mode.parameters)}\n\n${fenced(mode.description)}\n`,
    ),
  ];
  return { path: `${FOLDER}/${fileOf(name)}`, text: parts.join('\n') };
}

function inputText(parameters) {
  const rows = parameterRows(parameters, '');
  return rows.length === 0 ? 'No parameters.' : table(['Parameter', 'Type', 'Required', 'Default', 'Meaning'], rows);
}

/** Members of members are written `outer.inner`, those of list items `list[].inner`. */
function parameterRows(schema, prefix) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const fallback = member.default === undefined ? '' : code(JSON.stringify(member.default));
    const row = [code(path), typeText(member), required.has(name) ? 'yes' : '', fallback, member.description ?? ''];
    const inner =
      member.type === 'array' ? parameterRows(member.items ?? {}, `${path}[].`) : parameterRows(member, `${path}.`);
    return [row, ...inner];
  });
}

/** The text as it is; the fence is longer than any inside of it. */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}markdown\n${text}\n${fence}`;
}

function fileOf(name) {
  return `${name.replaceAll('_', '-')}.md`;
}
