/** Stacked bars over days. Built as a file of its own (`/charts.js`), so that only who looks at charts loads them. */
import uPlot from 'uplot';

/** What is drawn. */
export interface StackedChart {
  /** `2026-11-18`, in order. */
  readonly days: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** The time that is shown, in seconds. */
  readonly span: readonly [number, number];
  /** A value for people. */
  text(value: number): string;
  /** Told which day the pointer is over; undefined when it has left. */
  onDay(index: number | undefined): void;
}

/** How many series have a colour; what is beyond them is grey. */
export const COLOURS = 6;
const HEIGHT = 260;
const BAR = { share: 0.75, most: 48 };

/** Draws a chart into an element; the function that is returned takes it away. */
export function drawStacked(element: HTMLElement, chart: StackedChart): () => void {
  const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/charts.css' });
  if (!document.querySelector('link[href="/charts.css"]')) document.head.append(sheet);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  let drawn = draw(element, chart);
  const again = () => {
    drawn.destroy();
    drawn = draw(element, chart);
  };
  const sizes = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
  sizes.observe(element);
  scheme.addEventListener('change', again);
  return () => {
    sizes.disconnect();
    scheme.removeEventListener('change', again);
    drawn.destroy();
  };
}

function draw(element: HTMLElement, { days, series, span, text, onDay }: StackedChart): uPlot {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [BAR.share, BAR.most] });
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: () => [...span] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] },
    },
    axes: [axis, { ...axis, size: 72, values: (_, values) => values.map(text) }],
    series: [
      {},
      ...series.map((_, index) => ({
        fill: colour(index < COLOURS ? `--chart-${index + 1}` : '--chart-other'),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onDay(idx ?? undefined)] },
  };
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000);
  return new uPlot(options, [times, ...stacked(series)] as uPlot.AlignedData, element);
}

/** The first is drawn first and holds all that stands on it, so that those which follow cover their own part. */
function stacked(series: StackedChart['series']): number[][] {
  return series.map((own, index) =>
    own.values.map((_, day) => series.slice(index).reduce((sum, { values }) => sum + (values[day] ?? 0), 0)),
  );
}
