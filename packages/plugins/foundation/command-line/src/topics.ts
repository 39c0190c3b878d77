import { exitRows } from './exit-codes.ts';
import { columns, type Row, styleFor, textWidth } from './layout.ts';

/** A help page that is not about one command. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  sections(view: { readonly width: number; readonly color: boolean }): (readonly [title: string, body: string])[];
}

/** The environment variables that the shell itself reads. */
export const environmentRows: readonly Row[] = [
  { term: 'TENON_HOME', text: 'Keeps config, data, state and cache in this one folder instead of the XDG folders.' },
  {
    term: 'XDG_CONFIG_HOME',
    text: 'Where settings are kept (under tenon/); ~/.config if unset. Likewise XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME.',
  },
  { term: 'TENON_SET', text: 'Settings for this run, as "key=value;key=value"; \\; stands for a semicolon.' },
  { term: 'TENON_LOG', text: 'The least grave records that the log keeps: debug, info (default), warn or error.' },
  { term: 'TENON_DEBUG', text: 'Any value but 0: show the details of failures, like --verbose.' },
  {
    term: 'TENON_ACCEL',
    text: 'native, wasm or js: which implementation of the accelerators serves; the best one if unset.',
  },
  { term: 'NO_COLOR', text: 'Any value: write without colours.' },
  { term: 'FORCE_COLOR', text: 'Any value but 0: write with colours, also into files and pipes.' },
  { term: 'VISUAL, EDITOR', text: 'The editor of `tenon config edit`.' },
];

/** General help topics. */
export const topics: readonly Topic[] = [
  {
    name: 'environment',
    title: 'Environment',
    summary: 'Environment variables that Tenon reads',
    text: 'These variables change how the command itself behaves. Settings can name further ones; `tenon config schema` shows them as "x-env".',
    sections: (view) => [['Variables', columns(environmentRows, textWidth(view.width), styleFor(view.color))]],
  },
  {
    name: 'exit-codes',
    title: 'Exit codes',
    summary: 'What the exit codes mean',
    text: 'Every command ends with one of these.',
    sections: (view) => [
      [
        'Codes',
        columns(
          exitRows().map(({ code, meaning }) => ({ term: String(code), text: meaning })),
          textWidth(view.width),
          styleFor(view.color),
        ),
      ],
    ],
  },
];
