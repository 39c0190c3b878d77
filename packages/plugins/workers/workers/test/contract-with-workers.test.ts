import { endKernel, foldersIn, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { workerRegistry } from '../src/api.ts';
import { agentContract, type ContractTool } from '../src/contract/contract.ts';

const TOOLS: readonly ContractTool[] = [
  { name: 'bash', summary: 'Run a shell command', risk: 'exec' },
  { name: 'read', summary: 'Read a file', risk: 'read' },
  { name: 'search', summary: 'Search files | fast', risk: 'read' },
  { name: 'web_search', summary: 'Search the web', risk: 'net' },
  { name: 'ast_edit', summary: 'Preview a rewrite', risk: 'read' },
  { name: 'code_with_agent', summary: 'Start a worker', risk: 'exec' },
  { name: 'todo_write', summary: 'Keep the plan', risk: 'read' },
  { name: 'gauge', summary: 'Of another plugin', risk: 'read' },
  { name: 'unknown' },
];
const PROGRAM = ['node', 'main.js'] as const;
const names = (contract: { tools: readonly { name: string }[] }) => contract.tools.map(({ name }) => name);

describe('the semantic surface', () => {
  const contract = agentContract(TOOLS, PROGRAM);

  it('has what a worker can use without changing anything, under names that say what it does', () => {
    expect(names(contract)).toEqual(['read_anything', 'search_text', 'search_web', 'gauge']);
    expect(contract.launch).toEqual({
      command: 'node',
      args: ['main.js', 'mcp', 'serve', '--tools', 'read_anything=read,search_text=search,search_web=web_search,gauge'],
    });
  });

  it('has tools that change something only where that is allowed, and never one that starts workers', () => {
    const all = names(agentContract(TOOLS, PROGRAM, { allowChanges: true }));
    expect(all).toEqual(expect.arrayContaining(['run_command', 'preview_code_rewrite', 'unknown']));
    expect(all).not.toContain('code_with_agent');
  });

  it('is told in a few lines by category', () => {
    expect(contract.promptGuidance).toBe(
      [
        "Tenon's own tools are offered to you by the MCP server `tenon`; they change nothing. Use them where they do more than yours:",
        '- files: `read_anything` (Read a file)',
        '- search: `search_text` (Search files | fast)',
        '- web: `search_web` (Search the web)',
        '- other: `gauge` (Of another plugin)',
      ].join('\n'),
    );
    expect(agentContract([], PROGRAM).promptGuidance).toBe('');
  });

  it('is a table for people', () => {
    expect(contract.docsGuidance.split('\n')).toEqual([
      '| Tool | Category | Destructive | Description |',
      '|---|---|---|---|',
      '| `read_anything` | files | no | Read a file |',
      '| `search_text` | search | no | Search files \\| fast |',
      '| `search_web` | web | no | Search the web |',
      '| `gauge` | other | no | Of another plugin |',
    ]);
  });
});

describe('the raw surface', () => {
  it('has every tool under its own name', () => {
    const contract = agentContract(TOOLS, PROGRAM, { surface: 'raw', server: 'mine' });
    expect(names(contract).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    expect(contract.launch.args).toEqual(['main.js', 'mcp', 'serve']);
    expect(contract.promptGuidance).toMatch(/^Tenon's own tools are offered to you by the MCP server `mine`\. Use/);
    expect(contract.docsGuidance).toContain('| `bash` | commands | yes | Run a shell command |');
  });
});

it('comes from the tools that are really there', async () => {
  const kernel = await startKernel({
    folders: foldersIn(temporaryFolder('contract')),
    plugins: ['settings', 'command-line', 'doctor', 'tools', 'small-tools', 'workers'],
  });
  later(() => endKernel(kernel));
  const contract = await (await kernel.find(workerRegistry)).contract();
  expect(names(contract)).toEqual(['calculate', 'draw_diagram']);
  expect(contract.launch.args.slice(-2)[0]).toBe('--tools');
});
