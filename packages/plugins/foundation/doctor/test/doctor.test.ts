import { builtIn } from '@tenon/test-kit/plugins';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelView, type KernelView } from '@tenon/host';
import { createKernel, type Diagnostic, kernelErrors, TenonError } from '@tenon/kernel';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { type AddonOrigin, findAddon } from '@tenon/native';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type DoctorCheck, doctorChecks, type DoctorFinding } from '../src/api.ts';
import { addonRemedy } from '../src/addon-remedy.ts';
import { checks } from '../src/checks.ts';
import plugin from '../src/plugin.ts';
import { writeReport } from '../src/problem-report.ts';
import { reportText } from '../src/report.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tenon-doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function view(fields: Partial<KernelView> = {}): KernelView {
  const inside = (name: string) => join(folder, name);
  return {
    version: '1.2.3',
    folders: {
      config: inside('config'),
      data: inside('data'),
      state: inside('state'),
      cache: inside('cache'),
      home: folder,
      cwd: folder,
    },
    settings: { load: async () => undefined, list: async () => [], schema: async () => ({}) },
    status: () => [],
    diagnostics: () => [],
    ...fields,
  } as KernelView;
}

const { signal } = new AbortController();
const byName = (findings: readonly DoctorFinding[]) =>
  Object.fromEntries(findings.map((finding) => [finding.name, finding]));

async function doctor(extra: Record<string, DoctorCheck> = {}, args: string[] = [], json = false) {
  const kernel = createKernel();
  kernel.install(
    provideServices([[kernelView, view()]]),
    await builtIn('doctor'),
    inlineCandidate(
      {
        id: 'sample',
        activate: (ctx) =>
          Object.entries(extra).forEach(([key, check]) => void ctx.contribute(doctorChecks, key, check)),
      },
      {
        contributes: {
          'doctor-checks': Object.fromEntries(
            Object.keys(extra).map((key) => [key, { title: `The ${key}`, order: 1 }]),
          ),
        },
      },
    ),
  );
  return runCommand(kernel, 'doctor', { args: { checks: args }, flags: { json }, cwd: folder, signal });
}

describe('the doctor plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source: manifest, plugin, services: [[kernelView, view()]] });
  });

  it('runs the checks of other plugins, in their order, and exits with 1 for a problem only', async () => {
    const warning = { run: async () => [{ name: 'a', status: 'warning' as const, text: 'so-so', next: 'Do x.' }] };
    const problem = { run: async () => [{ name: 'b', status: 'problem' as const, text: 'bad' }] };
    const fine = await doctor({ first: warning }, ['versions', 'first']);
    expect(fine.code).toBe(0);
    expect(fine.out).toMatch(/^The first\n {2}warning {2}a {2}so-so\n +next: Do x\.\n\nVersions\n/);
    expect(fine.out).toContain('It works, with limits: 0 problems, 1 warning.');
    expect((await doctor({ first: problem }, ['first'])).code).toBe(1);
  });

  it('writes a report for whoever helps, with the end of the logs and without secrets', async () => {
    mkdirSync(join(folder, 'state', 'log'), { recursive: true });
    const lines = Array.from({ length: 600 }, (_, index) => JSON.stringify({ message: `line ${index}.` }));
    const secret = `ghp_${'a'.repeat(36)}`;
    writeFileSync(join(folder, 'state', 'log', 'tenon.jsonl'), `${[...lines, `{"token":"${secret}"}`].join('\n')}\n`);
    const values = [
      { key: 'models.default', value: 'test/m', layer: 'global', where: join(folder, 'settings.yml') },
      { key: 'web.token', value: 'hush', layer: 'global', where: 'x' },
      {
        key: 'mcp.servers',
        value: { shop: { command: 'npx', env: { ANY: 'of the shop' }, headers: { 'X-Any': 'of the shop' } } },
        layer: 'global',
        where: 'x',
      },
      { key: 'workers.env.ANY', value: 'of the shop', layer: 'global', where: 'x' },
      { key: 'jobs.maxRunning', value: 15, layer: 'default', where: 'default' },
    ];
    const kernel = view({ settings: { ...view().settings, list: async () => values as never } });
    const problem = [{ check: 'a', title: 'A', findings: [{ name: 'b', status: 'problem' as const, text: 'bad' }] }];
    const file = join(folder, 'problem.md');
    const parts = { kernel, checks: problem, env: { MY_SECRET: 'line 598' }, now: new Date(0) };
    await writeReport(file, parts);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# Tenon 1\.2\.3, 1970-01-01T00:00:00\.000Z\n/);
    expect(text).toContain('PROBLEM  b  bad');
    expect(text).toContain('models.default = "test/m" (~/settings.yml)');
    const left = ['hush', 'of the shop', secret, 'line 598', 'jobs.maxRunning', '"line 100."'];
    for (const part of left) expect(text).not.toContain(part);
    expect(text).toContain('mcp.servers = {"shop":{"command":"npx"');
    expect(text).toContain('"line 101."');
    expect(text).toContain('## The end of the log of the keeper\n\n```\nNothing.\n```');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(writeReport(file, parts)).rejects.toThrow(/cannot be written to .*problem\.md: EEXIST/);
  });

  it('goes on when a check fails, and names the plugin', async () => {
    const { out, code } = await doctor(
      { broken: { run: () => Promise.reject(new Error('oops')) } },
      ['broken', 'versions'],
      true,
    );
    const report = JSON.parse(out) as { ok: boolean; checks: { check: string; findings: DoctorFinding[] }[] };
    expect(code).toBe(1);
    expect(report.ok).toBe(false);
    expect(report.checks.map(({ check }) => check)).toEqual(['broken', 'versions']);
    expect(report.checks[0]?.findings[0]).toMatchObject({
      status: 'problem',
      text: expect.stringContaining('oops'),
      next: expect.stringContaining('sample'),
    });
  });

  it('repeats what a failed check says is to be done', async () => {
    const fault = kernelErrors.create('KERNEL_PLUGIN_DISABLED', { plugin: 'sleeper' });
    const { out } = await doctor({ broken: { run: () => Promise.reject(fault) } }, ['broken']);
    expect(out).toContain(fault.message);
    expect(out).toContain(`next: ${fault.next}`);
    expect(out).not.toContain('Report this');
  });

  it('refuses a check that does not exist', async () => {
    await expect(doctor({}, ['sandbx'])).rejects.toThrow(/Did you mean "sandbox"/);
  });

  it('marks findings with words, so that they are clear without colours', () => {
    const findings: DoctorFinding[] = [{ name: 'x', status: 'problem', text: 'y' }];
    expect(reportText([{ check: 'c', title: 'C', findings }], { color: false })).not.toContain('\u001b');
    expect(reportText([{ check: 'c', title: 'C', findings }], { color: true })).toContain('\u001b[31mPROBLEM');
  });
});

describe("the doctor's own checks", () => {
  it('find the versions of Tenon, Node, the system and git', async () => {
    const found = byName(await checks.versions(view(), signal));
    expect(found['tenon']?.text).toBe('1.2.3');
    expect(found['node']?.text).toContain(process.versions.node);
    expect(found['git']?.status).toBe('ok');
  });

  it('say what to do when git is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    try {
      expect(byName(await checks.versions(view(), signal))['git']).toMatchObject({
        status: 'problem',
        text: 'is not installed',
      });
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('tell folders that can be used from those that cannot, and make none', async () => {
    writeFileSync(join(folder, 'data'), 'a file');
    mkdirSync(join(folder, 'state'));
    chmodSync(join(folder, 'state'), 0o777);
    mkdirSync(join(folder, 'cache'));
    const found = byName(await checks.folders(view()));
    expect(found['config']).toMatchObject({ status: 'ok', text: expect.stringContaining('made on first use') });
    expect(found['data']).toMatchObject({ status: 'problem', text: expect.stringContaining('not a folder') });
    expect(found['state']).toMatchObject({ status: 'warning', text: expect.stringContaining('everybody') });
    expect(found['cache']?.status).toBe('ok');
    expect(() => chmodSync(join(folder, 'config'), 0o700)).toThrow(/ENOENT/);
  });

  it('repeat what failed plugins and diagnostics say, each once', async () => {
    const error = new TenonError({
      code: 'X',
      owner: 'kernel',
      message: 'Plugin "a" failed',
      next: 'Fix it.',
      details: { plugin: 'a' },
    });
    const other = new TenonError({
      code: 'Y',
      owner: 'kernel',
      message: 'Also',
      next: 'Fix that.',
      details: { plugin: 'b' },
    });
    const diagnostics: Diagnostic[] = [
      { severity: 'error', error },
      { severity: 'warning', error: other },
    ];
    const status = [{ id: 'a', state: 'failed', error }] as unknown as ReturnType<KernelView['status']>;
    const findings = await checks.plugins(view({ status: () => status, diagnostics: () => diagnostics }));
    expect(findings.slice(1)).toEqual([
      { name: 'a', status: 'problem', text: 'Plugin "a" failed', next: 'Fix it.' },
      { name: 'b', status: 'warning', text: 'Also', next: 'Fix that.' },
    ]);
  });

  it('find settings that their schema refuses', async () => {
    const settings = {
      load: async () => undefined,
      schema: async () => ({
        type: 'object',
        properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } },
      }),
      list: async () => [
        { key: 'a.b', plugin: 'a', value: 'x', default: 1, layer: 'global', where: 'f.yml:1:1', description: '' },
      ],
    } as unknown as KernelView['settings'];
    const findings = await checks.settings(view({ settings }));
    expect(findings[1]).toMatchObject({ name: 'a.b', status: 'problem', text: 'f.yml:1:1: must be integer' });
  });

  it('say how to get the addon where it is missing: there is nothing to build in an installed package', () => {
    const remedy = (...origins: AddonOrigin[]) => addonRemedy(origins.map((origin) => ({ origin })));
    expect(remedy('checkout', 'cache')).toContain('npm run setup');
    expect(remedy('package', 'checkout')).toContain('npm run setup');
    expect(remedy('package')).toContain('npm install -g --include=optional tenon-agent');
    expect(remedy('explicit')).toContain('TENON_ADDON');
  });

  it('ask for nothing while the addon is being built', () => {
    const stamp = { hash: 'abc', building: { pid: process.pid, crates: '7 of 142 crates' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@tenon/native', version: '1.0.0' }));
    writeFileSync(join(folder, 'tenon.node.json'), JSON.stringify(stamp));
    const { attempts } = findAddon({ searchFrom: folder, env: {} });
    expect(attempts[0]?.reason).toBe('being built: 7 of 142 crates');
    expect(addonRemedy(attempts)).toMatch(/^Nothing to do: it serves as soon as it is built\./);
  });

  it('report on accelerators and the sandbox of this machine', async () => {
    expect((await checks.accelerators()).length).toBeGreaterThan(3);
    const [packs] = await checks.sandbox();
    expect(packs?.name).toBe('packs');
    expect(packs?.text).toMatch(/can(not)? be isolated/);
  });
});
