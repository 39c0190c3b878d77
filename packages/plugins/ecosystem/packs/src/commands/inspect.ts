import type { CliCommand } from '@tenon/command-line/api';
import type { Manifest } from '@tenon/kernel';
import { describePermissions, wantedPermissions } from '@tenon/pack-host/api';
import { findPacks } from '../find-packs.ts';
import { mayStart } from '../may-start.ts';
import { stateWord } from './list.ts';
import { argument, type CommandParts, requirePack } from './parts.ts';

/** `tenon plugin inspect`. */
export function inspectCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const id = argument(call, 'id');
      const installed = id.includes('@') ? await (await parts.installed())?.inspect(id) : undefined;
      if (installed) return call.flags['json'] === true ? call.io.json(installed.facts) : call.io.out(installed.text);
      const facts = await factsOf(id, parts);
      if (call.flags['json'] === true) return call.io.json(facts);
      await call.io.out(textOf(facts));
    },
  };
}

async function factsOf(id: string, parts: CommandParts) {
  const view = await parts.view();
  const status = view.status().find((candidate) => candidate.id === id);
  const { packs } = await findPacks(parts.folders);
  const pack = packs.find(({ manifest }) => manifest.id === id);
  // A plugin that is neither known to the kernel nor found as a pack does not exist; this says so.
  const manifest: Manifest = status?.manifest ?? (pack ?? (await requirePack(parts, id, 'inspected'))).manifest;
  const hosts = await parts.hosts();
  return {
    id,
    manifest,
    file: status?.file ?? pack?.file,
    level: pack?.level ?? 'built in',
    state: status?.state ?? 'not installed',
    reason: status?.reason,
    error: status?.error?.toJSON(),
    permissions: describePermissions(wantedPermissions(manifest)),
    trust: pack ? { ...pack.record, decision: mayStart(pack) } : undefined,
    registrations: view.registrations(id),
    host: hosts.status(id),
    sandbox: pack ? await hosts.sandbox() : undefined,
  };
}

function textOf(facts: Awaited<ReturnType<typeof factsOf>>): string {
  const { manifest, level, trust, host, sandbox } = facts;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const names = (what: string, list: readonly string[] = []) =>
    list.length === 0 ? [] : [`${what}: ${list.join(', ')}`];
  const contributed = Object.entries(manifest.contributes ?? {}).flatMap(([slot, keys]) =>
    names(slot, Object.keys(keys)),
  );
  const isolated = sandbox?.mechanism === undefined ? 'no sandbox works here' : `isolated by ${sandbox.mechanism}`;
  const trusted =
    trust === undefined
      ? 'part of Tenon'
      : trust.trust === 'full'
        ? `full, since ${trust.fullSince ?? 'unknown'}`
        : isolated;
  return [
    `${manifest.id} ${manifest.version}  ${level}, ${stateWord(facts.state)}\n`,
    manifest.description === undefined ? '' : `  ${manifest.description}\n`,
    `  ${facts.file ?? ''}\n`,
    facts.reason === undefined ? '' : `  not started: ${facts.reason}\n`,
    facts.error === undefined ? '' : `  failed: ${facts.error.message}\n`,
    section('TRUST', [trusted, ...(trust?.grantedAt === undefined ? [] : [`granted ${trust.grantedAt}`])]),
    section(
      'MAY',
      level === 'built in'
        ? []
        : facts.permissions.length === 0
          ? ['only compute: no files, no network, no programs']
          : facts.permissions,
    ),
    section('CONTRIBUTES', contributed),
    section('HOOKS AND SERVICES', [
      ...names('handles', manifest.handles),
      ...names('handles when active', manifest.handlesWhenActive),
      ...names('needs', manifest.needs),
      ...names('provides', manifest.provides),
    ]),
    section(
      'REGISTERED NOW',
      facts.registrations.map(({ kind, target, key }) => `${kind} ${target}${key === undefined ? '' : ` ${key}`}`),
    ),
    section(
      'PROCESS',
      host === undefined
        ? []
        : [
            `${host.state}, stopped ${host.failures} times`,
            ...(host.lastFailure === undefined ? [] : [`last: ${host.lastFailure}`]),
          ],
    ),
  ].join('');
}
