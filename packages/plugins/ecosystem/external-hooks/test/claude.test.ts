import { afterEach, describe, expect, it } from 'vitest';
import { calling, hookWorld, removeWorlds } from './support/hook-world.ts';

afterEach(removeWorlds);

const rm = calling('bash', { command: 'rm -rf /srv', timeout: 5 });
const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;
const preToolUse = (more: object) => says({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });

describe('A hook before a tool', () => {
  it('blocks the call with exit code 2, and the model reads its reason', async () => {
    const world = await hookWorld({
      script: rm,
      files: (files) =>
        files.claude('home', { PreToolUse: ['Bash', files.script('guard', 'echo "not on my machine" >&2; exit 2')] }),
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('not on my machine');
    expect(world.files.told('guard')).toMatchObject([
      {
        session_id: world.session.id,
        transcript_path: world.session.file,
        cwd: world.files.project,
        permission_mode: 'default',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'rm -rf /srv', timeout: 5000 },
        tool_use_id: 'call-0',
      },
    ]);
  });

  it.each([
    ['nothing at all', 'exit 2'],
    ['JSON that allows it', `${preToolUse({ permissionDecision: 'allow' })}; exit 2`],
    ['broken JSON', `echo '{"decision": "appr'; echo '{{{' >&2; exit 2`],
    ['bytes that are no text', String.raw`printf '\xff\xfe\x00'; exit 2`],
  ])('blocks with exit code 2 when it prints %s', async (_what, body) => {
    const world = await hookWorld({
      script: rm,
      files: (files) => files.claude('home', { PreToolUse: files.script('guard', body) }),
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('refused by external-hooks');
  });

  it('denies by JSON, in the present and in the old form', async () => {
    for (const answer of [
      preToolUse({ permissionDecision: 'deny', permissionDecisionReason: 'ask Ada' }),
      says({ decision: 'block', reason: 'ask Ada' }),
    ]) {
      const world = await hookWorld({
        script: rm,
        files: (files) => files.claude('home', { PreToolUse: files.script('guard', answer) }),
      });
      await world.agent.prompt('clean up');
      expect(world.executed).toEqual([]);
      expect(world.lastRequest()).toContain('ask Ada');
    }
  });

  it('lets the call through with another exit code, and tells the user what went wrong', async () => {
    const world = await hookWorld({
      script: rm,
      files: (files) => files.claude('home', { PreToolUse: files.script('guard', 'echo "no jq" >&2; exit 1') }),
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toHaveLength(1);
    expect(world.notices().join()).toMatch(/failed with exit code 1: no jq/);
  });

  it('is not silent when its command does not exist', async () => {
    const world = await hookWorld({
      script: rm,
      files: (files) => files.claude('home', { PreToolUse: '/nowhere/guard.sh' }),
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toHaveLength(1);
    expect(world.notices().join()).toMatch(/\/nowhere\/guard\.sh` could not be found or started/);
  });

  it('changes the input in the words of Claude Code', async () => {
    const world = await hookWorld({
      script: rm,
      files: (files) => {
        const updatedInput = { command: 'ls /srv', timeout: 9000, description: 'look only' };
        const body = preToolUse({ permissionDecision: 'allow', updatedInput, additionalContext: 'be careful' });
        files.claude('home', { PreToolUse: files.script('guard', body) });
      },
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toEqual([{ tool: 'bash', input: { command: 'ls /srv', timeout: 9 } }]);
    expect(world.lastRequest()).toContain('be careful');
  });

  it('refuses the call when the input that it wants cannot be expressed', async () => {
    const world = await hookWorld({
      script: calling('edit', { input: '@@ a.txt\n5ab|x' }),
      files: (files) => {
        const body = preToolUse({ updatedInput: { file_path: '/elsewhere.txt' } });
        files.claude('home', { PreToolUse: ['Edit', files.script('guard', body)] });
      },
    });
    await world.agent.prompt('edit');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('in a way that this tool does not know');
  });

  it('sees each file of an edit, under the name Edit', async () => {
    const world = await hookWorld({
      script: calling('edit', { input: '@@ src/a.txt\n1ab|x\n@@ .env\n1ab|y' }),
      files: (files) => {
        const body = `case "$input" in *.env*) ;; *) exit 0;; esac; [[ "$input" == *'"file_path":"'*'/.env"'* ]] && { echo secret >&2; exit 2; }; exit 0`;
        files.claude('home', { PreToolUse: ['Edit|Write', files.script('guard', body)] });
      },
    });
    await world.agent.prompt('edit');
    expect(
      world.files
        .told('guard')
        .map(({ tool_input: input }) => (input as { file_path: string }).file_path)
        .toSorted(),
    ).toEqual([`${world.files.project}/.env`, `${world.files.project}/src/a.txt`]);
    expect(world.executed).toEqual([]);
  });

  it('asks the user when it says so, and refuses where nobody can answer', async () => {
    const asks = preToolUse({ permissionDecision: 'ask', permissionDecisionReason: 'production' });
    const questions: string[] = [];
    const answering = (yes: boolean) => ({
      canAsk: () => true,
      confirm: (_title: string, message: string) => (questions.push(message), Promise.resolve(yes)),
    });
    const files = (given: Parameters<NonNullable<Parameters<typeof hookWorld>[0]>['files'] & object>[0]) =>
      given.claude('home', { PreToolUse: given.script('guard', asks) });
    const yes = await hookWorld({ script: rm, files, ui: answering(true) });
    await yes.agent.prompt('clean up');
    expect(yes.executed).toHaveLength(1);
    const no = await hookWorld({ script: rm, files, ui: answering(false) });
    await no.agent.prompt('clean up');
    expect(no.executed).toEqual([]);
    expect(questions).toEqual(['rm -rf /srv\nproduction', 'rm -rf /srv\nproduction']);
    const nobody = await hookWorld({ script: rm, files });
    await nobody.agent.prompt('clean up');
    expect(nobody.executed).toEqual([]);
    expect(nobody.lastRequest()).toContain('nobody can answer here');
  });

  it('stops the agent altogether with continue: false', async () => {
    const world = await hookWorld({
      script: rm,
      files: (files) =>
        files.claude('home', {
          PreToolUse: files.script('guard', says({ continue: false, stopReason: 'build is red' })),
        }),
    });
    await world.agent.prompt('clean up');
    expect(world.executed).toEqual([]);
    expect(world.requests).toHaveLength(1);
    expect(world.notices().join()).toContain('build is red');
  });

  it('runs only for the calls that its matcher and its rule fit', async () => {
    const world = await hookWorld({
      script: [
        { calls: ['git push', 'ls'].map((command) => ({ name: 'bash', arguments: { command } })) },
        { calls: [{ name: 'mcp__memory__save', arguments: { text: 'x' } }] },
        { text: 'Done.' },
      ],
      files: (files) =>
        files.write('home/.claude/settings.json', {
          hooks: {
            PreToolUse: [
              { matcher: 'Bash', hooks: [{ type: 'command', if: 'Bash(git *)', command: files.script('git') }] },
              { matcher: 'mcp__memory__.*', hooks: [{ type: 'command', command: files.script('memory') }] },
              { matcher: 'bas', hooks: [{ type: 'command', command: files.script('never') }] },
              { matcher: '(', hooks: [{ type: 'command', command: files.script('broken') }] },
            ],
          },
        }),
    });
    await world.agent.prompt('go');
    expect(world.files.told('git').map(({ tool_input: input }) => input)).toMatchObject([{ command: 'git push' }]);
    expect(world.files.told('memory')).toMatchObject([{ tool_name: 'mcp__memory__save', tool_input: { text: 'x' } }]);
    expect(world.files.told('never')).toEqual([]);
    expect(world.files.told('broken')).toHaveLength(3);
    expect(world.notices().join()).toContain('is not a regular expression');
  });
});

describe('A hook after a tool', () => {
  it('adds what it has to say to the result', async () => {
    const world = await hookWorld({
      script: calling('write', { path: 'a.txt', content: 'hi' }),
      files: (files) =>
        files.claude('home', {
          PostToolUse: ['Write', files.script('lint', 'echo "line 1 is too short" >&2; exit 2')],
          PostToolUseFailure: files.script('failure'),
        }),
    });
    await world.agent.prompt('write');
    expect(world.lastRequest()).toContain('write was here');
    expect(world.lastRequest()).toContain('line 1 is too short');
    expect(world.files.told('lint')).toMatchObject([
      {
        tool_name: 'Write',
        tool_input: { file_path: `${world.files.project}/a.txt`, content: 'hi' },
        tool_response: { filePath: `${world.files.project}/a.txt`, success: true },
      },
    ]);
    expect(world.files.told('failure')).toEqual([]);
  });

  it('is told about failures apart', async () => {
    const answer = says({
      hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'try npm ci' },
    });
    const world = await hookWorld({
      script: calling('bash', { command: 'npm test' }),
      results: { bash: { content: [{ type: 'text', text: 'exit 1' }], isError: true } },
      files: (files) =>
        files.claude('home', {
          PostToolUse: files.script('success'),
          PostToolUseFailure: files.script('failure', answer),
        }),
    });
    await world.agent.prompt('test');
    expect(world.files.told('success')).toEqual([]);
    expect(world.files.told('failure')).toMatchObject([{ tool_name: 'Bash', error: 'exit 1', is_interrupt: false }]);
    expect(world.lastRequest()).toContain('try npm ci');
  });

  it('replaces what the model sees', async () => {
    const updatedMCPToolOutput = [{ type: 'text', text: 'nothing to see' }];
    const world = await hookWorld({
      script: calling('mcp__memory__save', { text: 'x' }),
      files: (files) =>
        files.claude('home', {
          PostToolUse: ['mcp__.*', files.script('hide', says({ hookSpecificOutput: { updatedMCPToolOutput } }))],
        }),
    });
    await world.agent.prompt('save');
    expect(world.lastRequest()).toContain('nothing to see');
    expect(world.lastRequest()).not.toContain('was here');
  });

  it('hears about all calls of an answer at once, before the model is asked again', async () => {
    const answer = says({ hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'two done' } });
    const world = await hookWorld({
      script: [
        {
          calls: ['read', 'search'].map((name) => ({ name, arguments: { path: 'a.txt', pattern: 'x', paths: ['.'] } })),
        },
        { text: 'Done.' },
      ],
      files: (files) => files.claude('home', { PostToolBatch: files.script('batch', answer) }),
    });
    await world.agent.prompt('look');
    const [{ tool_calls: calls } = {}] = world.files.told('batch');
    expect((calls as { tool_name: string }[]).map((one) => one.tool_name).toSorted()).toEqual(['Grep', 'Read']);
    expect(world.lastRequest()).toContain('two done');
    expect(JSON.stringify(world.session.context().messages)).toContain('two done');
  });
});

describe('A hook for prompts', () => {
  it('adds plain output and additionalContext to the conversation', async () => {
    const specific = { hookEventName: 'UserPromptSubmit', additionalContext: 'the branch is main' };
    const world = await hookWorld({
      files: (files) =>
        files.write('home/.claude/settings.json', {
          hooks: {
            UserPromptSubmit: [
              { hooks: [{ type: 'command', command: files.script('plain', 'echo "it is Monday"') }] },
              { hooks: [{ type: 'command', command: files.script('json', says({ hookSpecificOutput: specific })) }] },
            ],
          },
        }),
    });
    await world.agent.prompt('hello');
    expect(world.files.told('plain')).toMatchObject([{ hook_event_name: 'UserPromptSubmit', prompt: 'hello' }]);
    expect(world.lastRequest()).toMatch(/hello.*it is Monday.*the branch is main/s);
  });

  it.each([
    ['exit code 2', 'echo "no secrets please" >&2; exit 2'],
    ['a decision', says({ decision: 'block', reason: 'no secrets please' })],
  ])('blocks the prompt with %s', async (_what, body) => {
    const world = await hookWorld({
      files: (files) => files.claude('home', { UserPromptSubmit: files.script('guard', body) }),
    });
    await expect(world.agent.prompt('my key is x')).rejects.toThrow(/no secrets please/);
    expect(world.requests).toEqual([]);
  });
});

describe('A hook for the end', () => {
  it('makes the agent go on, and knows that it already did', async () => {
    const body = `[[ "$input" == *'"stop_hook_active":true'* ]] && exit 0; echo "run the tests first" >&2; exit 2`;
    const world = await hookWorld({
      script: [{ text: 'First.' }, { text: 'Second.' }],
      files: (files) => files.claude('home', { Stop: files.script('stop', body) }),
    });
    await world.agent.prompt('work');
    expect(world.requests).toHaveLength(2);
    expect(world.lastRequest()).toContain('run the tests first');
    expect(world.files.told('stop')).toMatchObject([
      { stop_hook_active: false, last_assistant_message: 'First.' },
      { stop_hook_active: true, last_assistant_message: 'Second.' },
    ]);
  });

  it('lets it end when one says continue: false, whatever the others say', async () => {
    const world = await hookWorld({
      files: (files) =>
        files.write('home/.claude/settings.json', {
          hooks: {
            Stop: [
              {
                hooks: [{ type: 'command', command: files.script('on', says({ decision: 'block', reason: 'go on' })) }],
              },
              { hooks: [{ type: 'command', command: files.script('off', says({ continue: false })) }] },
            ],
          },
        }),
    });
    await world.agent.prompt('work');
    expect(world.requests).toHaveLength(1);
  });

  it('is told about a failure of the model', async () => {
    const world = await hookWorld({
      script: [{ fail: { kind: 'authentication', message: 'no key', retryable: false } as never }],
      files: (files) => files.claude('home', { StopFailure: files.script('failed') }),
    });
    await world.agent.prompt('work').catch(() => undefined);
    await world.end();
    expect(world.files.told('failed')).toMatchObject([{ hook_event_name: 'StopFailure', error_details: 'no key' }]);
  });
});

describe('Hooks for sessions', () => {
  it('bring context and variables at the start, and are told about the end', async () => {
    const world = await hookWorld({
      script: calling('bash', { command: 'env' }),
      files: (files) =>
        files.claude('home', {
          SessionStart: [
            'startup|resume',
            files.script(
              'start',
              `echo 'export DEPLOY="to $HOME_NAME"' >> "$CLAUDE_ENV_FILE"; echo "three issues are open"`,
            ),
          ],
          SessionEnd: files.script('end'),
        }),
    });
    await world.agent.prompt('hello');
    expect(world.files.told('start')).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup', model: 'test/m' },
    ]);
    expect(JSON.stringify(world.requests[0]?.messages)).toContain('three issues are open');
    expect(world.executed).toMatchObject([{ input: { command: 'env', env: { DEPLOY: 'to ' } } }]);
    expect(world.files.told('end')).toEqual([]);
    await world.end();
    expect(world.files.told('end')).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'other' }]);
  });

  it('follow the agent into another session', async () => {
    const world = await hookWorld({
      files: (files) => files.claude('home', { SessionStart: files.script('start'), SessionEnd: files.script('end') }),
    });
    await world.agent.prompt('hello');
    await world.agent.newSession();
    expect(world.files.told('end')).toMatchObject([{ reason: 'clear', session_id: world.session.id }]);
    expect(world.files.told('start')).toMatchObject([
      { source: 'startup' },
      { source: 'clear', session_id: world.agent.session.id },
    ]);
  });

  it('may call a summary off, and are told about one that was made', async () => {
    const long = 'word '.repeat(40_000);
    const world = await hookWorld({
      script: [{ text: long }, { text: long }, { text: '## Summary\nshort' }],
      files: (files) =>
        files.claude('home', {
          PreCompact: [
            'manual',
            files.script('before', `[ -e "${files.root}/go" ] && exit 0; echo "not during a release" >&2; exit 2`),
          ],
          PostCompact: files.script('after'),
          // Slow, because the next request has to wait for it.
          SessionStart: ['compact', files.script('again', 'sleep 0.7; echo "remember the rules"')],
        }),
    });
    await world.agent.prompt('one');
    await world.agent.prompt('two');
    await expect(world.agent.compact('keep the names')).rejects.toThrow();
    expect(world.notices().join()).toContain('not during a release');
    expect(world.files.told('before')).toMatchObject([{ trigger: 'manual', custom_instructions: 'keep the names' }]);
    world.files.write('go', '');
    await world.agent.compact();
    await expect.poll(() => world.files.told('again')).toMatchObject([{ source: 'compact' }]);
    expect(world.files.told('after')).toMatchObject([
      { trigger: 'manual', compact_summary: expect.stringContaining('short') },
    ]);
    await world.agent.prompt('three');
    expect(world.lastRequest()).toContain('remember the rules');
  });
});
