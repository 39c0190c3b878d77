/** Settings, marketplaces and plugins, to be read. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Plugins, SettingRow } from '../../shapes.ts';
import { client, fetched } from '../state/connection.ts';
import { Sheet } from './sheet.tsx';
import { counted } from './words.ts';

const COLUMNS = [{ title: 'Setting' }, { title: 'Value' }, { title: 'From' }];

/** What applies in the server's folder. */
export function SettingsScreen(): VNode {
  const [settings, setSettings] = useState<readonly SettingRow[]>();
  const [plugins, setPlugins] = useState<Plugins>();
  const [search, setSearch] = useState('');
  const [isAll, setAll] = useState(false);
  useEffect(() => {
    void fetched(() => client.call('listSettings', {})).then((found) => setSettings(found?.settings ?? []));
    void fetched(() => client.call('listPlugins', {})).then(setPlugins);
  }, []);
  const wanted = search.toLowerCase();
  const rows = (settings ?? []).filter(
    ({ key, description, layer }) =>
      (isAll || wanted !== '' || layer !== 'default') && `${key} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <header class="bar">
        <h1>Settings</h1>
        <p class="facts">
          <code>tenon config set KEY VALUE</code> changes one
        </p>
      </header>
      <div class="new">
        <input
          aria-label="Search settings"
          placeholder="Search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} /> also
          defaults
        </label>
      </div>
      {settings === undefined && <p class="empty">Loading …</p>}
      {settings && rows.length === 0 && (
        <p class="empty">{wanted === '' ? 'Every setting has its default.' : 'No setting fits.'}</p>
      )}
      {rows.length > 0 && (
        <Sheet
          label="Settings"
          columns={COLUMNS}
          rows={rows.map(({ key, value, layer, where, description }) => ({
            key,
            cells: [
              <>
                <code>{key}</code>
                <p class="facts">{description}</p>
              </>,
              <code>{value === '' ? '–' : value}</code>,
              <>
                {layer}
                {layer !== 'default' && <p class="facts path">{where}</p>}
              </>,
            ],
          }))}
        />
      )}
      {plugins && <Installed {...plugins} />}
    </>
  );
}

function Installed({ marketplaces, plugins }: Plugins): VNode {
  return (
    <>
      <section aria-label="Marketplaces" class="part">
        <h2>Marketplaces</h2>
        {marketplaces.length === 0 && (
          <p class="facts">
            None was added. <code>tenon marketplace add SOURCE</code> adds one.
          </p>
        )}
        <ul class="rows">
          {marketplaces.map(({ name, scope, source, plugins: count, problem }) => (
            <li key={`${scope} ${name}`} class="row">
              <span class="row-title">{name}</span>
              <span class="row-facts">
                {source} · {scope} · {problem ?? counted(count ?? 0, 'plugin')}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Installed plugins" class="part">
        <h2>Installed plugins</h2>
        {plugins.length === 0 && <p class="facts">None beside the built-in ones.</p>}
        <ul class="rows">
          {plugins.map(({ id, version, state, from }) => (
            <li key={id} class="row">
              <span class="row-title">
                {id} <span class="facts">{version}</span>
              </span>
              <span class="badge">{state}</span>
              <span class="row-facts">{from}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
