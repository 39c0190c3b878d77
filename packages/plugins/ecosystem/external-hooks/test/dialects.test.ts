import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { calling, grouped, hookWorld, type HookFiles, removeWorlds } from './support/hook-world.ts';

afterEach(removeWorlds);

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;
const bash = calling('bash', { command: 'curl https://example.test' });

describe('Hooks of Gemini CLI', () => {
  const gemini = (files: HookFiles, hooks: Parameters<typeof grouped>[0]) =>
    files.write('home/.gemini/settings.json', { hooks: grouped(hooks) });

  it('deny a call, and know it under its name', async () => {
    const world = await hookWorld({
      script: bash,
      files: (files) =>
        gemini(files, {
          BeforeTool: ['run_shell.*', files.script('before', says({ decision: 'deny', reason: 'no network' }))],
        }),
    });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('no network');
    const [told] = world.files.told('before');
    expect(told).toMatchObject({
      session_id: world.session.id,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'curl https://example.test' },
    });
    expect(Date.parse(String(told?.['timestamp']))).not.toBeNaN();
  });

  it('change the input, and hide the result', async () => {
    const input = { hookSpecificOutput: { tool_input: { command: 'true' } } };
    const world = await hookWorld({
      script: bash,
      files: (files) =>
        gemini(files, {
          BeforeTool: files.script('before', says(input)),
          AfterTool: files.script('after', says({ decision: 'deny', reason: 'hidden by policy' })),
        }),
    });
    await world.agent.prompt('go');
    expect(world.executed).toMatchObject([{ input: { command: 'true' } }]);
    expect(world.files.told('after')).toMatchObject([{ tool_response: { llmContent: 'bash was here' } }]);
    expect(world.lastRequest()).toContain('hidden by policy');
    expect(world.lastRequest()).not.toContain('bash was here');
  });

  it('see prompts and answers, and may ask for another one', async () => {
    const again = `[[ "$input" == *'"stop_hook_active":true'* ]] && { echo '{}'; exit 0; }; ${says({ decision: 'deny', reason: 'shorter' })}`;
    const context = { hookSpecificOutput: { additionalContext: 'the user is in a hurry' } };
    const world = await hookWorld({
      script: [{ text: 'A long answer.' }, { text: 'Short.' }],
      files: (files) =>
        gemini(files, {
          BeforeAgent: files.script('before', says(context)),
          AfterAgent: files.script('after', again),
          SessionStart: files.script('start', says({ hookSpecificOutput: { additionalContext: 'from the start' } })),
          SessionEnd: files.script('end'),
        }),
    });
    await world.agent.prompt('tell me');
    await world.end();
    expect(world.requests).toHaveLength(2);
    expect(JSON.stringify(world.requests[0]?.messages)).toMatch(/from the start.*the user is in a hurry/s);
    expect(world.lastRequest()).toContain('shorter');
    expect(world.files.told('before')).toMatchObject([{ prompt: 'tell me' }]);
    expect(world.files.told('after')).toMatchObject([
      { prompt: 'tell me', prompt_response: 'A long answer.', stop_hook_active: false },
      { prompt_response: 'Short.', stop_hook_active: true },
    ]);
    expect(world.files.told('end')).toMatchObject([{ reason: 'exit' }]);
  });

  it('see requests to the model, leave tools out, and stop a request', async () => {
    const world = await hookWorld({
      files: (files) =>
        gemini(files, {
          BeforeModel: files.script(
            'model',
            `[ -e ${files.root}/stop ] && { echo "over budget" >&2; exit 2; }; echo '{}'`,
          ),
          BeforeToolSelection: files.script(
            'selection',
            says({ hookSpecificOutput: { toolConfig: { mode: 'AUTO', allowedFunctionNames: ['read_file'] } } }),
          ),
          AfterModel: files.script('answer'),
        }),
    });
    await world.agent.prompt('hello');
    expect(world.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
    const [asked] = world.files.told('model') as { llm_request?: { messages: { role: string; content: string }[] } }[];
    expect(asked?.llm_request?.messages.at(-1)).toEqual({ role: 'user', content: 'hello' });
    world.files.write('stop', '');
    await world.agent.prompt('more');
    expect(world.notices().join()).toContain('over budget');
    await world.end();
    expect(world.files.told('answer')[0]).toMatchObject({
      llm_response: { candidates: [{ content: { parts: ['Done.'] } }] },
    });
  });

  it('are told apart from JSON: plain text is for the user', async () => {
    const world = await hookWorld({
      files: (files) => gemini(files, { BeforeAgent: files.script('before', 'echo "quota is low"') }),
    });
    await world.agent.prompt('hello');
    expect(world.notices()).toContain('quota is low');
    expect(world.lastRequest()).not.toContain('quota is low');
  });
});

describe('Hooks of Codex', () => {
  it('see all edits as patches', async () => {
    const world = await hookWorld({
      script: [
        { calls: [{ name: 'write', arguments: { path: 'a.txt', content: 'one\ntwo' } }] },
        { calls: [{ name: 'edit', arguments: { path: 'b.txt', edits: [{ old_text: 'x', new_text: 'y' }] } }] },
        { text: 'Done.' },
      ],
      files: (files) =>
        files.write('home/.codex/hooks.json', {
          hooks: grouped({
            PreToolUse: ['Edit|Write', files.script('patch')],
            PostToolUse: ['^apply_patch$', files.script('after')],
          }),
        }),
    });
    await world.agent.prompt('go');
    const patches = world.files.told('patch').map(({ tool_input: input }) => (input as { command: string }).command);
    const { project } = world.files;
    expect(patches).toEqual([
      `*** Begin Patch\n*** Add File: ${project}/a.txt\n+one\n+two\n*** End Patch`,
      `*** Begin Patch\n*** Update File: ${project}/b.txt\n@@\n-x\n+y\n*** End Patch`,
    ]);
    expect(world.files.told('patch')).toMatchObject([{ tool_name: 'apply_patch', model: 'test/m' }, {}]);
    expect(world.files.told('after')).toMatchObject([{ tool_response: 'write was here' }, {}]);
  });

  it('replace a result that they object to', async () => {
    const world = await hookWorld({
      script: bash,
      files: (files) =>
        files.write('home/.codex/hooks.json', {
          hooks: grouped({ PostToolUse: files.script('after', says({ continue: false, stopReason: 'needs review' })) }),
        }),
    });
    await world.agent.prompt('go');
    expect(world.requests).toHaveLength(2);
    expect(world.lastRequest()).toContain('needs review');
    expect(world.lastRequest()).not.toContain('bash was here');
  });

  it('include the program that is told when a turn is over, with JSON as its last argument', async () => {
    const world = await hookWorld({
      files(files) {
        const program = files.script('notify', `printf '%s' "\${@: -1}" > ${files.root}/argument`);
        files.write('home/.codex/config.toml', `notify = ["bash", "${program}", "extra"]\n`);
      },
    });
    await world.agent.prompt('hello');
    await world.end();
    const argument = join(world.files.root, 'argument');
    expect(existsSync(argument)).toBe(true);
    expect(JSON.parse(readFileSync(argument, 'utf8'))).toMatchObject({
      type: 'agent-turn-complete',
      'thread-id': world.session.id,
      cwd: world.files.project,
      'input-messages': ['hello'],
      'last-assistant-message': 'Done.',
    });
  });
});

describe('Hooks of Cursor', () => {
  const cursor = (files: HookFiles, hooks: object) => files.write('home/.cursor/hooks.json', { version: 1, hooks });

  it('refuse a command, and tell the model what they have to say to it', async () => {
    const answer = { permission: 'deny', user_message: 'blocked', agent_message: 'use the proxy' };
    const world = await hookWorld({
      script: bash,
      files: (files) =>
        cursor(files, {
          beforeShellExecution: [
            { command: files.script('shell', says(answer)), matcher: '^curl' },
            { command: files.script('other'), matcher: '^wget' },
          ],
        }),
    });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('use the proxy');
    expect(world.files.told('shell')).toMatchObject([
      {
        conversation_id: world.session.id,
        workspace_roots: [world.files.project],
        hook_event_name: 'beforeShellExecution',
        command: 'curl https://example.test',
        cwd: world.files.project,
      },
    ]);
    expect(world.files.told('other')).toEqual([]);
  });

  it('see reads, edits, calls of MCP servers and what came of them', async () => {
    const world = await hookWorld({
      script: [
        {
          calls: [
            { name: 'read', arguments: { path: 'secret.txt' } },
            { name: 'write', arguments: { path: 'a.txt', content: 'hi' } },
            { name: 'mcp__memory__save', arguments: { text: 'x' } },
            { name: 'bash', arguments: { command: 'ls' } },
          ],
        },
        { text: 'Done.' },
      ],
      files(files) {
        files.write('project/secret.txt', 'hush');
        cursor(files, {
          beforeReadFile: [{ command: files.script('reads', says({ permission: 'deny' })) }],
          afterFileEdit: [{ command: files.script('edits') }],
          beforeMCPExecution: [{ command: files.script('mcp', says({ permission: 'allow' })) }],
          afterMCPExecution: [{ command: files.script('after-mcp') }],
          afterShellExecution: [{ command: files.script('after-shell') }],
          preToolUse: [{ command: files.script('any', says({ permission: 'allow' })), matcher: 'Shell|Write' }],
          postToolUse: [{ command: files.script('after', says({ additional_context: 'noted' })), matcher: 'Write' }],
        });
      },
    });
    await world.agent.prompt('go');
    const { project } = world.files;
    expect(world.executed.map((one) => one.tool).toSorted()).toEqual(['bash', 'mcp__memory__save', 'write']);
    expect(world.files.told('reads')).toMatchObject([{ file_path: join(project, 'secret.txt'), content: 'hush' }]);
    expect(world.files.told('edits')).toMatchObject([
      { file_path: join(project, 'a.txt'), edits: [{ old_string: '', new_string: 'hi' }] },
    ]);
    expect(world.files.told('mcp')).toMatchObject([{ tool_name: 'save', tool_input: '{"text":"x"}' }]);
    expect(world.files.told('after-mcp')).toMatchObject([{ result_json: expect.stringContaining('was here') }]);
    expect(world.files.told('after-shell')).toMatchObject([{ command: 'ls', output: 'bash was here' }]);
    expect(
      world.files
        .told('any')
        .map(({ tool_name: name }) => name)
        .toSorted(),
    ).toEqual(['Shell', 'Write']);
    expect(world.lastRequest()).toContain('noted');
  });

  it('block prompts, follow up at most as often as they may, and hear what the agent says', async () => {
    const world = await hookWorld({
      script: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      files: (files) =>
        cursor(files, {
          beforeSubmitPrompt: [
            {
              command: files.script(
                'prompt',
                `[[ "$input" == *password* ]] && ${says({ continue: false, user_message: 'no passwords' })} || echo '{"continue":true}'`,
              ),
            },
          ],
          stop: [{ command: files.script('stop', says({ followup_message: 'and then?' })), loop_limit: 1 }],
          afterAgentResponse: [{ command: files.script('response') }],
          sessionStart: [
            { command: files.script('start', says({ env: { FROM_HOOK: 'yes' }, additional_context: 'hi' })) },
          ],
        }),
    });
    await expect(world.agent.prompt('password: x')).rejects.toThrow(/no passwords/);
    await world.agent.prompt('hello');
    await world.end();
    expect(world.requests).toHaveLength(2);
    expect(world.lastRequest()).toContain('and then?');
    expect(world.files.told('stop')).toMatchObject([{ status: 'completed', loop_count: 0 }, { loop_count: 1 }]);
    expect(world.files.told('response').map(({ text }) => text)).toEqual(['One.', 'Two.']);
  });

  it('run where their file is: the project, or the folder of the user', async () => {
    const world = await hookWorld({
      files(files) {
        cursor(files, { beforeSubmitPrompt: [{ command: `pwd > ${files.root}/user; echo '{}'` }] });
        files.write('project/.cursor/hooks.json', {
          version: 1,
          hooks: {
            beforeSubmitPrompt: [{ command: `echo "$PWD $CURSOR_PROJECT_DIR" > ${files.root}/project-pwd; echo '{}'` }],
          },
        });
      },
    });
    await world.agent.prompt('hello');
    const { root, home, project } = world.files;
    expect(readFileSync(join(root, 'user'), 'utf8').trim()).toBe(join(home, '.cursor'));
    expect(readFileSync(join(root, 'project-pwd'), 'utf8').trim()).toBe(`${project} ${project}`);
  });
});
