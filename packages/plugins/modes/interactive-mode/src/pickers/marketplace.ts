/** Plugins of marketplaces: find, install after a look at what they would do, upgrade, remove. */
import { plainLine } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { chooseOne, ListPicker, closingHints } from './list-picker.ts';
import { runAndTell, runInside } from './run-inside.ts';
import { isConfirmed, reporting } from './small-dialogs.ts';

/** What `tenon plugin discover --json` says about one. */
interface FoundPlugin {
  readonly id: string;
  readonly marketplace: string;
  readonly version?: string;
  readonly description?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly source: string;
  /** The version that is installed. */
  readonly installed?: string;
}

interface Found {
  readonly plugins: readonly FoundPlugin[];
  readonly problems: readonly { readonly marketplace: string; readonly problem: string }[];
}

type Deed = 'install' | 'look' | 'upgrade' | 'uninstall';

const WORDS: Readonly<Record<Deed, string>> = {
  install: 'Install it, after a look at what it brings',
  look: 'Only show what it brings',
  upgrade: 'Bring it up to date',
  uninstall: 'Remove it',
};

/** Shows the plugins of all marketplaces and installs or removes the one that is taken. */
export async function openMarketplace(seat: Seat): Promise<void> {
  const found = await reporting(seat, () => discover(seat));
  if (!found) return;
  for (const { marketplace, problem } of found.problems)
    seat.notify(plainLine(`${marketplace}: ${problem}`), 'warning');
  if (found.plugins.length === 0) {
    seat.notify('No marketplace offers anything. `tenon marketplace add OWNER/REPO` adds one.');
    return;
  }
  const picker = new ListPicker<FoundPlugin>(seat, {
    title: 'Marketplaces',
    items: found.plugins.map(asItem),
    preview: async ({ description = '', source, tags = [] }) => [
      ...seat.text.wrap(plainLine(description), Math.max(20, seat.columns)).slice(0, 3),
      plainLine(`from ${source}${tags.length === 0 ? '' : `  (${tags.join(', ')})`}`),
    ],
    previewRows: 4,
    footer: () => closingHints(seat, 'what to do', 'close'),
  });
  for (;;) {
    const chosen = (await picker.next())?.item?.value;
    if (!chosen) return;
    await act(seat, chosen);
    const now = await reporting(seat, () => discover(seat));
    if (now) picker.list.setItems(now.plugins.map(asItem), (a, b) => a.id === b.id);
  }
}

async function discover(seat: Seat): Promise<Found> {
  return (await runInside(seat, ['plugin', 'discover', '--json'])).json as Found;
}

function asItem(plugin: FoundPlugin) {
  const { id, marketplace, version, description = '', category, installed } = plugin;
  const state = installed === undefined ? (version ?? '') : `installed ${installed}`;
  return {
    value: plugin,
    label: plainLine(id.replace(/@[^@]*$/, '')),
    detail: plainLine(description),
    hint: plainLine([category, state].filter((part) => part !== undefined && part !== '').join('  ')),
    group: plainLine(marketplace),
    keywords: `${category ?? ''} ${(plugin.tags ?? []).join(' ')}`,
    isCurrent: false,
  };
}

async function act(seat: Seat, { id, installed }: FoundPlugin): Promise<void> {
  const deeds: Deed[] = installed === undefined ? ['install', 'look'] : ['upgrade', 'uninstall'];
  const deed = await chooseOne<Deed>(seat, {
    title: plainLine(id),
    hasFilter: false,
    items: deeds.map((value) => ({ value, label: WORDS[value] })),
  });
  if (!deed) return;
  const words = deed.value === 'look' ? ['plugin', 'install', '--dry-run', '--', id] : ['plugin', deed.value, '--', id];
  if (deed.value === 'uninstall' && !(await isConfirmed(seat, `Remove ${plainLine(id)}?`, 'Yes, remove it'))) return;
  await reporting(seat, () => runAndTell(seat, words, { working: `Working on ${plainLine(id)}…` }));
}
