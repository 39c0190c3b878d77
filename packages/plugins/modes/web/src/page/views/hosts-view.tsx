/** Hosts of the fleet: who is there, and what they do. */
import type { FleetHostStatus, FleetStatus } from '@tenon/fleet/api';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../state/connection.ts';
import { Sheet } from './sheet.tsx';
import { ago, counted } from './words.ts';

const LOOK_MS = 5_000;
const BADGES = { live: 'running', draining: 'waiting', lost: 'failed' } as const;

/** The hosts, looked at again and again while the page is open. */
export function Hosts(): VNode {
  const [fleet, setFleet] = useState<FleetStatus>();
  const [problem, setProblem] = useState('');
  const [isTried, setTried] = useState(false);
  useEffect(() => {
    const look = async () => {
      try {
        const found = await client.call('listHosts', {});
        setFleet(found.fleet);
        setProblem('');
      } catch (fault) {
        // A database that is away now may be there at the next look.
        setProblem(fault instanceof Error ? fault.message : String(fault));
      }
      setTried(true);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <header class="bar">
        <h1>Hosts</h1>
        {fleet && (
          <p class="facts">
            {counted(fleet.hosts.length, 'host')} · {counted(fleet.waiting, 'run')} without a host
            {Object.entries(fleet.states).map(([state, count]) => ` · ${count} ${state}`)}
          </p>
        )}
      </header>
      {!isTried && <p class="empty">Loading …</p>}
      {problem !== '' && <p class="notice">{problem}</p>}
      {isTried && !fleet && problem === '' && (
        <p class="empty">
          There is no fleet here. <code>tenon fleet init</code> sets one up.
        </p>
      )}
      {fleet && fleet.hosts.length > 0 && <HostTable hosts={fleet.hosts} />}
      {fleet && fleet.limits.length > 0 && (
        <section aria-label="Limits" class="part">
          <h2>Limits</h2>
          <ul class="rows">
            {fleet.limits.map(({ key, used, most }) => (
              <li key={key} class="row">
                <span class="row-title">{key}</span>
                <span>
                  {used} of {most}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const COLUMNS = [
  { title: 'Host' },
  { title: 'State' },
  { title: 'Runs', isNumber: true },
  { title: 'Labels' },
  { title: 'Last seen' },
  { title: 'Version' },
];

function HostTable({ hosts }: { readonly hosts: readonly FleetHostStatus[] }): VNode {
  return (
    <Sheet
      label="Hosts"
      columns={COLUMNS}
      rows={hosts.map(({ name, state, runs, slots, labels, seen, version }) => ({
        key: name,
        cells: [
          name,
          <span class={`badge ${BADGES[state]}`}>{state}</span>,
          `${runs} of ${slots}`,
          labels.join(', ') || '–',
          ago(seen),
          version,
        ],
      }))}
    />
  );
}
