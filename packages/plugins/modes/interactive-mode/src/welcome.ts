/** What a person sees who has no model yet. */
import type { Seat } from './seat.ts';

const WITHOUT_MODEL: readonly (readonly [string, string])[] = [
  ['find all files that mention TODO', 'a rule answers, with the same tools and the same sandbox'],
  ['!git status', 'your own commands, in the agent’s shell'],
  ['/keys', 'all keys and commands'],
];

/** Says what works, and how to log in. */
export function welcomeRows(seat: Pick<Seat, 'theme' | 'text' | 'columns'>): string[] {
  const { theme, text, columns } = seat;
  const rows = (value: string): string[] => text.wrap(value, columns);
  const width = Math.max(...WITHOUT_MODEL.map(([what]) => what.length));
  return [
    theme.bold('Welcome to Tenon.'),
    ...rows(
      `No model is set up yet. ${theme.fg('accent', '/login')} stores a key or logs you in. Tenon also finds keys in variables such as ANTHROPIC_API_KEY and OPENAI_API_KEY, and local servers such as Ollama.`,
    ),
    '',
    ...rows('Until then fixed rules answer plain requests:'),
    ...WITHOUT_MODEL.flatMap(([what, does]) =>
      rows(`  ${theme.fg('accent', what.padEnd(width))}  ${theme.fg('muted', does)}`),
    ),
  ];
}
