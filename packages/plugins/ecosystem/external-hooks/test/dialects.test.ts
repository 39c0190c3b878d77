import { chmodSync, existsSync, readFileSync } from 'node:fs';
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
          afterAgentResponse: [
            {
              command: files.script(
                'response',
                `[[ "$input" == *One.* ]] && sleep 1; grep -oE '(One|Two)[.]' <<<"$input" >> ${files.root}/spoken`,
              ),
            },
          ],
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
    // A slow hook is not overtaken by the next one.
    expect(readFileSync(join(world.files.root, 'spoken'), 'utf8')).toBe('One.\nTwo.\n');
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

describe('Hooks of GitHub Copilot', () => {
  const copilot = (files: HookFiles, hooks: object) =>
    files.write('home/.copilot/hooks/mine.json', { version: 1, hooks });

  it('deny a call whose arguments they read out of a text', async () => {
    const deny = `command=$(node -p 'JSON.parse(JSON.parse(require("fs").readFileSync(0)).toolArgs).command' <<< "$input")
      [[ "$command" == curl* ]] && ${says({ permissionDecision: 'deny', permissionDecisionReason: 'no network' })}`;
    const world = await hookWorld({
      script: bash,
      files: (files) => copilot(files, { preToolUse: [{ type: 'command', bash: files.script('before', deny) }] }),
    });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('no network');
    expect(world.files.told('before')).toMatchObject([
      { sessionId: world.session.id, cwd: world.files.project, toolName: 'bash', timestamp: expect.any(Number) },
    ]);
  });

  it('hear about sessions, prompts, results and the end, and may make the agent go on', async () => {
    const once = `[ -e ${'$0'}.done ] && exit 0; touch ${'$0'}.done; ${says({ decision: 'block', reason: 'test it, too' })}`;
    const world = await hookWorld({
      script: [...bash.slice(0, 1), { text: 'Done.' }, { text: 'Tested.' }],
      files: (files) =>
        copilot(files, {
          sessionStart: [{ type: 'command', bash: files.script('start') }],
          userPromptSubmitted: [{ type: 'command', bash: files.script('prompt') }],
          postToolUse: [{ type: 'command', bash: files.script('after', says({ additionalContext: 'noted' })) }],
          agentStop: [{ type: 'command', bash: files.script('stop', once) }],
          PreToolUse: [{ type: 'command', command: files.script('as-claude') }],
        }),
    });
    await world.agent.prompt('go');
    await world.end();
    expect(world.files.told('start')).toMatchObject([{ source: 'new' }]);
    expect(world.files.told('prompt')).toMatchObject([{ prompt: 'go' }]);
    expect(world.files.told('after')).toMatchObject([
      { toolResult: { resultType: 'success', textResultForLlm: 'bash was here' } },
    ]);
    expect(world.files.told('as-claude')).toMatchObject([{ hook_event_name: 'PreToolUse', tool_name: 'Bash' }]);
    expect(world.lastRequest()).toMatch(/noted.*test it, too/s);
  });

  it('of a project run only when it is trusted, in the folder that they name', async () => {
    const project = (files: HookFiles) => {
      files.write('project/scripts/here', '');
      files.write('project/.github/hooks/policy.json', {
        version: 1,
        hooks: { userPromptSubmitted: [{ type: 'command', bash: `pwd > ${files.root}/pwd`, cwd: 'scripts' }] },
      });
    };
    const strange = await hookWorld({ trusted: false, files: project });
    await strange.agent.prompt('hello');
    expect(existsSync(join(strange.files.root, 'pwd'))).toBe(false);
    const world = await hookWorld({ files: project });
    await world.agent.prompt('hello');
    const { root, project: folder } = world.files;
    expect(readFileSync(join(root, 'pwd'), 'utf8').trim()).toBe(join(folder, 'scripts'));
  });
});

describe('Hooks of Windsurf', () => {
  const windsurf = (files: HookFiles, hooks: object) => files.write('home/.codeium/windsurf/hooks.json', { hooks });

  it('refuse with exit code 2, and know what is read, written, run and asked', async () => {
    const world = await hookWorld({
      script: [
        {
          calls: [
            { name: 'bash', arguments: { command: 'rm -rf /' } },
            { name: 'write', arguments: { path: 'a.txt', content: 'hi' } },
            { name: 'read', arguments: { path: 'a.txt' } },
            { name: 'mcp__memory__save', arguments: { text: 'x' } },
          ],
        },
        { text: 'done' },
      ],
      files: (files) =>
        windsurf(files, {
          pre_run_command: [{ command: files.script('run', 'echo "too dangerous" >&2; exit 2'), show_output: true }],
          pre_write_code: [{ command: files.script('write', 'echo "some text"') }],
          post_write_code: [{ command: files.script('written', 'exit 2') }],
          pre_read_code: [{ command: files.script('read') }],
          pre_mcp_tool_use: [{ command: files.script('mcp') }],
          pre_user_prompt: [{ command: files.script('prompt') }],
          post_cascade_response: [{ command: files.script('response') }],
        }),
    });
    await world.agent.prompt('go');
    await world.end();
    const { project } = world.files;
    expect(world.executed.map(({ tool }) => tool).toSorted()).toEqual(['mcp__memory__save', 'read', 'write']);
    expect(world.lastRequest()).toContain('too dangerous');
    expect(world.files.told('run')).toMatchObject([
      { agent_action_name: 'pre_run_command', tool_info: { command_line: 'rm -rf /', cwd: project } },
    ]);
    expect(world.files.told('write')).toMatchObject([
      { tool_info: { file_path: join(project, 'a.txt'), edits: [{ old_string: '', new_string: 'hi' }] } },
    ]);
    expect(world.files.told('mcp')).toMatchObject([
      { tool_info: { mcp_server_name: 'memory', mcp_tool_name: 'save', mcp_tool_arguments: { text: 'x' } } },
    ]);
    expect(world.files.told('read')).toHaveLength(1);
    expect(world.files.told('written')).toHaveLength(1);
    expect(world.files.told('prompt')).toMatchObject([{ tool_info: { user_prompt: 'go' } }]);
    expect(world.files.told('response')).toMatchObject([{ tool_info: { response: 'done' } }]);
  });

  it('keep a prompt from the model', async () => {
    const world = await hookWorld({
      files: (files) =>
        windsurf(files, { pre_user_prompt: [{ command: files.script('prompt', 'echo "not this" >&2; exit 2') }] }),
    });
    await expect(world.agent.prompt('secret')).rejects.toThrow(/not this/);
    expect(world.requests).toHaveLength(0);
  });
});

describe('Hooks of Cline', () => {
  const cline = (files: HookFiles, where: string, event: string, body = '') => {
    const log = join(files.root, `${event}.jsonl`);
    const keep = `input=$(cat)\nprintf '%s\\n' "$input" >> '${log}'`;
    chmodSync(files.write(`${where}/${event}`, `#!/bin/bash\n${keep}\n${body}\n`), 0o755);
  };
  const home = 'home/Documents/Cline/Hooks';

  it('cancel a call and say why, whatever they print before', async () => {
    const cancel = `echo checking; ${says({ cancel: true, errorMessage: 'no network' })}`;
    const world = await hookWorld({ script: bash, files: (files) => cline(files, home, 'PreToolUse', cancel) });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('no network');
    expect(world.files.told('PreToolUse')).toMatchObject([
      {
        hookName: 'PreToolUse',
        taskId: world.session.id,
        workspaceRoots: [world.files.project],
        preToolUse: { toolName: 'execute_command', parameters: { command: 'curl https://example.test' } },
      },
    ]);
  });

  it('add context, and hear about tasks, prompts and results', async () => {
    const world = await hookWorld({
      script: bash,
      files(files) {
        cline(files, home, 'UserPromptSubmit', says({ cancel: false, contextModification: 'the user is in a hurry' }));
        for (const name of ['TaskStart', 'TaskComplete', 'PostToolUse']) cline(files, home, name, 'echo "{}"');
      },
    });
    await world.agent.prompt('go');
    await world.end();
    expect(world.lastRequest()).toContain('the user is in a hurry');
    expect(world.files.told('TaskStart')).toMatchObject([
      { taskStart: { taskMetadata: { taskId: world.session.id } } },
    ]);
    expect(world.files.told('PostToolUse')).toMatchObject([
      { postToolUse: { success: true, result: 'bash was here' } },
    ]);
    expect(world.files.told('TaskComplete')).toHaveLength(1);
  });

  it('of a project run only when it is trusted', async () => {
    const project = (files: HookFiles) => cline(files, 'project/.clinerules/hooks', 'UserPromptSubmit', 'echo "{}"');
    const strange = await hookWorld({ trusted: false, files: project });
    await strange.agent.prompt('hello');
    expect(strange.files.told('UserPromptSubmit')).toEqual([]);
    const world = await hookWorld({ files: project });
    await world.agent.prompt('hello');
    expect(world.files.told('UserPromptSubmit')).toMatchObject([{ userPromptSubmit: { prompt: 'hello' } }]);
  });
});
