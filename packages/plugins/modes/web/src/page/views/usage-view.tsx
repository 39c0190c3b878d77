/** What models and workers have cost: by day, model, account, run and session. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Usage, UsageGroup } from '../../shapes.ts';
import { client, fetched } from '../state/connection.ts';
import { titleOf } from '../state/lists.ts';
import { Link } from './link.tsx';
import { Sheet } from './sheet.tsx';
import { daysOf, type Grouping, type Measure, spanOf } from './usage-days.ts';
import { counted, money, tokens } from './words.ts';

const PERIODS = [
  { days: '7', title: '7 days' },
  { days: '30', title: '30 days' },
  { days: '90', title: '90 days' },
  { days: '', title: 'Always' },
] as const;

/** The page of costs and tokens. */
export function UsageScreen(): VNode {
  const [days, setDays] = useState('30');
  const [measure, setMeasure] = useState<Measure>('cost');
  const [by, setBy] = useState<Grouping>('model');
  const [usage, setUsage] = useState<Usage>();
  useEffect(() => {
    const query = days === '' ? {} : { days };
    void fetched(() => client.call('usage', { query })).then((found) => found && setUsage(found));
  }, [days]);
  const total = usage?.total;
  return (
    <>
      <header class="bar">
        <h1>Usage</h1>
        {total && (
          <p class="facts">
            {money(total.cost)} · {tokens(total.tokens)} tokens ·{' '}
            {counted(total.calls, 'call or run', 'calls and runs')}
          </p>
        )}
      </header>
      <div class="choices">
        <Choice
          label="Time"
          value={days}
          options={PERIODS.map(({ days: value, title }) => [value, title])}
          set={setDays}
        />
        <Choice label="Measure" value={measure} options={MEASURES} set={setMeasure} />
        <Choice label="By" value={by} options={GROUPINGS} set={setBy} />
      </div>
      {usage === undefined && <p class="empty">Loading …</p>}
      {usage?.cells.length === 0 && <p class="empty">No model was used in this time.</p>}
      {usage && usage.cells.length > 0 && (
        <>
          <Chart usage={usage} by={by} measure={measure} />
          <div class="sheets">
            <Groups title="Models" groups={usage.models} />
            <Groups title="Accounts" groups={usage.accounts} />
            <Groups title="Runs" groups={usage.runs} path="/runs/" />
            <Groups
              title="Sessions"
              groups={usage.sessions.map((group) => ({
                ...group,
                label: titleOf(group.name) ?? group.label ?? group.name,
              }))}
              path="/sessions/"
            />
          </div>
        </>
      )}
      {(usage?.damagedLines ?? 0) > 0 && (
        <p class="notice">{counted(usage?.damagedLines ?? 0, 'line')} of the ledger could not be read.</p>
      )}
      <p class="facts">
        Costs are what providers and CLIs say. A run counts on the day on which it began; other CLIs than Tenon may not
        tell what they cost.
      </p>
    </>
  );
}

const MEASURES: readonly (readonly [Measure, string])[] = [
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
];
const GROUPINGS: readonly (readonly [Grouping, string])[] = [
  ['model', 'Model'],
  ['account', 'Account'],
];

function Choice<T extends string>(props: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly set: (value: T) => void;
}): VNode {
  const { label, value, options, set } = props;
  return (
    <fieldset class="segments">
      <legend class="facts">{label}</legend>
      {options.map(([option, title]) => (
        <button key={option} type="button" class="quiet" aria-pressed={option === value} onClick={() => set(option)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}

function Chart({
  usage,
  by,
  measure,
}: {
  readonly usage: Usage;
  readonly by: Grouping;
  readonly measure: Measure;
}): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [day, setDay] = useState<number>();
  const chart = useMemo(() => daysOf(usage.cells, by, measure), [usage, by, measure]);
  const text = measure === 'cost' ? money : tokens;
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isGone = false;
    // Only who looks at charts loads what draws them.
    void fetched(() => import('../charts.ts')).then((charts) => {
      if (charts && box.current && !isGone)
        remove = charts.drawStacked(box.current, { ...chart, span: spanOf(chart.days), text, onDay: setDay });
    });
    return () => {
      isGone = true;
      remove?.();
    };
  }, [chart]);
  const at = day ?? chart.days.length - 1;
  const sum = chart.series.reduce((all, { values }) => all + (values[at] ?? 0), 0);
  return (
    <figure class="chart">
      <div ref={box} class="chart-plane" aria-hidden="true" />
      <figcaption>
        <p class="facts">
          {chart.days[at]}: {text(sum)}
        </p>
        <ul class="legend">
          {chart.series.map(({ name, values }, index) => (
            <li key={name}>
              <span class={`swatch swatch-${index + 1}`} aria-hidden="true" />
              {name} <span class="facts">{text(values[at] ?? 0)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

function Groups(props: {
  readonly title: string;
  readonly groups: readonly UsageGroup[];
  readonly path?: string;
}): VNode | null {
  const { title, groups, path } = props;
  if (groups.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Sheet
        label={title}
        columns={[
          { title: title.replace(/s$/, '') },
          { title: 'Cost', isNumber: true },
          { title: 'Tokens', isNumber: true },
        ]}
        rows={groups.map(({ name, label, cost, tokens: count }) => ({
          key: name,
          cells: [
            path === undefined ? (label ?? name) : <Link to={`${path}${name}`}>{label ?? name}</Link>,
            money(cost),
            tokens(count),
          ],
        }))}
      />
    </section>
  );
}
