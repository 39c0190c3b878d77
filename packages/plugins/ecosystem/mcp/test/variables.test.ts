import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServerConfig } from '@tenon/discovery/api';
import { describe, expect, it } from 'vitest';
import { resolveVariables } from '../src/config/variables.ts';
import { temporaryFolder } from '@tenon/test-kit/temporary';

const ENV = { TOKEN: 's3cret', EMPTY: '', HOST: 'example.com' };
const asked: string[] = [];

function resolve(config: Partial<McpServerConfig>, answer?: string) {
  asked.length = 0;
  const whole = { name: 'one', path: '/p/mcp.json', type: 'stdio', variableRules: [], ...config } as McpServerConfig;
  const ask = async (question: string) => (asked.push(question), answer);
  return resolveVariables(whole, { env: { ...process.env, ...ENV }, home: '/home/ada', cwd: '/', ask });
}

describe('variables by name', () => {
  it('copy a variable that is set, and leave other text alone', async () => {
    const { env } = await resolve({ variableRules: ['names'], env: { A: 'TOKEN', B: 'NO_SUCH_VARIABLE', C: 'EMPTY' } });
    expect(env).toEqual({ A: 's3cret', B: 'NO_SUCH_VARIABLE', C: 'EMPTY' });
  });

  it('run a command, and leave out what gives nothing', async () => {
    const env = { A: '!printf \'Bearer %s\\n\' "$TOKEN"', B: '!exit 3', C: '!echo " "' };
    expect((await resolve({ variableRules: ['names'], env })).env).toEqual({ A: 'Bearer s3cret' });
    const { headers } = await resolve({ variableRules: ['names'], headers: { Authorization: '!echo Bearer x' } });
    expect(headers).toEqual({ Authorization: 'Bearer x' });
  });

  it('fill in logins the same way, also what stands deeper in them', async () => {
    const idp = { clientId: 'me', idToken: 'TOKEN' };
    const oauth = { clientSecret: '!echo x', clientId: '!exit 3', callbackPort: 3, scopes: ['TOKEN'], idp };
    const filled = await resolve({ variableRules: ['names'], oauth });
    expect(filled.oauth).toEqual({
      clientSecret: 'x',
      callbackPort: 3,
      scopes: ['TOKEN'],
      idp: { ...idp, idToken: 's3cret' },
    });
  });

  it('run nothing where the rules of the file do not say so', async () => {
    const mark = join(temporaryFolder(), 'ran');
    const { env } = await resolve({ variableRules: ['braces'], env: { A: `!touch ${mark}` } });
    expect([env, existsSync(mark)]).toEqual([{ A: `!touch ${mark}` }, false]);
  });
});

describe('variables in braces', () => {
  it('are filled in everywhere, with defaults', async () => {
    const config = await resolve({
      variableRules: ['braces'],
      command: '${HOST}',
      args: ['--to=${HOST}:${PORT:-8080}', '${NOTHING:-}'],
      env: { A: '${TOKEN}' },
      cwd: '/${HOST}',
      url: 'https://${HOST}/${A:-b}/${C:-${x}',
      headers: { B: 'Bearer ${TOKEN}' },
      oauth: { clientSecret: '${TOKEN}', callbackPort: 3 },
    });
    expect(config).toMatchObject({
      command: 'example.com',
      args: ['--to=example.com:8080', ''],
      env: { A: 's3cret' },
      cwd: '/example.com',
      url: 'https://example.com/b/${x',
      headers: { B: 'Bearer s3cret' },
      oauth: { clientSecret: 's3cret', callbackPort: 3 },
    });
    expect(config).not.toHaveProperty('variableRules');
  });

  it('that are not set are an error which names them', async () => {
    await expect(resolve({ variableRules: ['braces'], args: ['${MISSING}'] })).rejects.toMatchObject({
      code: 'MCP_VARIABLE_MISSING',
      message: 'The variable MISSING is not set, which the MCP server "one" needs.',
    });
  });

  it('may be those of the bundle that the server comes with', async () => {
    const variables = { CLAUDE_PLUGIN_ROOT: '/plugins/x' };
    const { args } = await resolve({ variableRules: ['braces'], variables, args: ['${CLAUDE_PLUGIN_ROOT}/run.js'] });
    expect(args).toEqual(['/plugins/x/run.js']);
  });

  it('are left alone where the rules of the file do not know them', async () => {
    expect((await resolve({ args: ['${TOKEN}', '{env:TOKEN}'] })).args).toEqual(['${TOKEN}', '{env:TOKEN}']);
  });
});

describe('variables of VS Code and OpenCode', () => {
  it('know the folder, the environment, and ask for what somebody has to type', async () => {
    const args = ['${workspaceFolder}', '${env:TOKEN}', '${env:NONE}', '${userHome}', '${input:key}'];
    expect((await resolve({ variableRules: ['vscode'], args }, 'typed')).args).toEqual([
      '/',
      's3cret',
      '',
      '/home/ada',
      'typed',
    ]);
    expect(asked).toEqual(['The MCP server "one" asks for key']);
    await expect(resolve({ variableRules: ['vscode'], args: ['${input:key}'] })).rejects.toMatchObject({
      message: expect.stringContaining('The input "key"'),
    });
  });

  it('read files beside the configuration', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'key'), 'from a file\n');
    const path = join(folder, 'opencode.json');
    const config = { path, variableRules: ['opencode'] as const, headers: { A: '{env:TOKEN}', B: 'x {file:./key} y' } };
    expect((await resolve(config)).headers).toEqual({ A: 's3cret', B: 'x from a file y' });
    await expect(resolve({ ...config, headers: { A: '{file:none}' } })).rejects.toMatchObject({
      code: 'MCP_VARIABLE_MISSING',
    });
  });
});
