/** Packs, installed plugins and extensions of pi: whether they run, and who trusts them. */
import { plainLine } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { chooseOne, ListPicker, closingHints } from './list-picker.ts';
import { runAndTell, runInside } from './run-inside.ts';
import { reporting } from './small-dialogs.ts';

/** What `tenon plugin list --json` says about one. */
interface PackRow {
  readonly id: string;
  readonly version: string;
  readonly level: string;
  readonly state: string;
  readonly trust: string;
  readonly permissions: readonly string[];
  readonly folder?: string;
  readonly reason?: string;
}

/** What `tenon extension list --json` says about one. */
interface ExtensionRow {
  readonly name: string;
  readonly level: string;
  readonly file: string;
  readonly trust: string;
  readonly permissions: readonly string[];
  readonly runs: boolean;
  readonly reason?: string;
}

/** One of either, as the list shows it. */
interface Listed {
  /** The words before those of a deed: `plugin` or `extension`. */
  readonly command: 'plugin' | 'extension';
  readonly id: string;
  readonly group: string;
  readonly isOff: boolean;
  readonly state: string;
  readonly hint: string;
  readonly about: readonly string[];
}

const DEEDS: Readonly<Record<Listed['command'], Readonly<Record<string, string>>>> = {
  plugin: {
    enable: 'Switch it on',
    disable: 'Switch it off',
    trust: 'Grant what it asks for',
    reload: 'Start it again',
  },
  extension: {
    enable: 'Switch it on',
    disable: 'Switch it off',
    trust: 'Run it without a sandbox',
    revoke: 'Put it back into the sandbox, with nothing granted',
  },
};

/** Shows what others wrote for Tenon and for pi, and switches or trusts one as the user wants. */
export async function openExtensions(seat: Seat): Promise<void> {
  const first = await reporting(seat, () => listAll(seat));
  if (!first) return;
  if (first.length === 0) {
    seat.notify('No packs or extensions are installed. /marketplace finds some.');
    return;
  }
  const picker = new ListPicker<Listed>(seat, {
    title: 'Packs and extensions',
    items: first.map(asItem),
    preview: async ({ about }) => about,
    previewRows: 4,
    footer: () => closingHints(seat, 'what to do', 'close'),
  });
  for (;;) {
    const chosen = (await picker.next())?.item?.value;
    if (!chosen) return;
    await act(seat, chosen);
    const now = await reporting(seat, () => listAll(seat));
    if (now) picker.list.setItems(now.map(asItem), (a, b) => a.id === b.id && a.command === b.command);
  }
}

async function listAll(seat: Seat): Promise<Listed[]> {
  const packs = (await runInside(seat, ['plugin', 'list', '--json'])).json as readonly PackRow[];
  const { json } = await runInside(seat, ['extension', 'list', '--json']);
  const { extensions } = json as { readonly extensions: readonly ExtensionRow[] };
  return [...packs.map(packListed), ...extensions.map(extensionListed)];
}

function packListed({ id, version, level, state, trust, permissions, folder, reason }: PackRow): Listed {
  return {
    command: 'plugin',
    id,
    group: 'Packs and plugins',
    isOff: state === 'disabled',
    state: `${version}  ${state}`,
    hint: `${level}, ${trust}`,
    about: aboutRows(permissions, folder, reason),
  };
}

function extensionListed({ name, level, file, trust, permissions, runs, reason }: ExtensionRow): Listed {
  return {
    command: 'extension',
    id: name,
    group: 'Extensions of pi',
    isOff: !runs,
    state: runs ? 'runs' : 'not loaded',
    hint: `${level}, ${trust}`,
    about: aboutRows(permissions, file, reason),
  };
}

function aboutRows(permissions: readonly string[], place: string | undefined, reason: string | undefined): string[] {
  const may = permissions.length === 0 ? 'may only compute' : `may ${permissions.join(', ')}`;
  return [reason ?? '', may, place ?? ''].filter((row) => row !== '').map(plainLine);
}

function asItem(listed: Listed) {
  const { id, state, hint, group, isOff } = listed;
  return { value: listed, label: plainLine(id), detail: plainLine(state), hint, group, isMuted: isOff };
}

async function act(seat: Seat, { command, id, isOff }: Listed): Promise<void> {
  const deeds = Object.entries(DEEDS[command]).filter(([deed]) => deed !== (isOff ? 'disable' : 'enable'));
  const deed = await chooseOne<string>(seat, {
    title: plainLine(id),
    hasFilter: false,
    items: deeds.map(([value, label]) => ({ value, label })),
  });
  if (deed) await reporting(seat, () => runAndTell(seat, [command, deed.value, '--', id]));
}
