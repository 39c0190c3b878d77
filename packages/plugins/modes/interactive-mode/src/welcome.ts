/** What a person sees who has no model yet. */
import type { Seat } from './seat.ts';

/** Short enough that a command and what it does fit a row of 80 columns. */
const WITHOUT_MODEL: readonly (readonly [string, string])[] = [
  ['find all files that mention TODO', 'with the same tools and sandbox'],
  ['!git status', 'your own commands, in the agent’s shell'],
  ['/keys', 'all keys and commands'],
];

/** Says what works, and how to log in. */
export function welcomeRows(seat: Pick<Seat, 'theme' | 'text' | 'columns'>): string[] {
  const { theme, text, columns } = seat;
  const rows = (value: string, indent = 0): string[] =>
    text.wrap(value, Math.max(1, columns - indent)).map((row) => ' '.repeat(indent) + row);
  const width = Math.max(...WITHOUT_MODEL.map(([what]) => what.length));
  const fits = WITHOUT_MODEL.every(([, does]) => 2 + width + 2 + does.length <= columns);
  return [
    theme.bold('Welcome to Tenon.'),
    ...rows(
      `No model is set up yet. ${theme.fg('accent', '/login')} stores a key or logs you in. Tenon also finds keys in variables such as ANTHROPIC_API_KEY and OPENAI_API_KEY, and local servers such as Ollama.`,
    ),
    '',
    ...rows('Until then fixed rules answer plain requests:'),
    ...WITHOUT_MODEL.flatMap(([what, does]) =>
      fits
        ? [`  ${theme.fg('accent', what.padEnd(width))}  ${theme.fg('muted', does)}`]
        : [...rows(theme.fg('accent', what), 2), ...rows(theme.fg('muted', does), 4)],
    ),
  ];
}
