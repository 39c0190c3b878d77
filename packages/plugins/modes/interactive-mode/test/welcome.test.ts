import { loadAccelerator } from '@tenon/native';
import { describe, expect, it } from 'vitest';
import { welcomeRows } from '../src/welcome.ts';
import { plainTheme } from './plain-theme.ts';

const text = await loadAccelerator('text');
const rowsAt = (columns: number) => welcomeRows({ theme: plainTheme, text, columns });

describe('the welcome', () => {
  it('has a command and what it does in one row of 80 columns', () => {
    const rows = rowsAt(80);
    expect(rows.slice(-3)).toEqual([
      '  find all files that mention TODO  with the same tools and sandbox',
      '  !git status                       your own commands, in the agent’s shell',
      '  /keys                             all keys and commands',
    ]);
  });

  it('has them below each other, indented, on a narrow terminal', () => {
    const rows = rowsAt(40);
    expect(rows.slice(-7)).toEqual([
      '  find all files that mention TODO',
      '    with the same tools and sandbox',
      '  !git status',
      '    your own commands, in the agent’s',
      '    shell',
      '  /keys',
      '    all keys and commands',
    ]);
    for (const row of rowsAt(20)) expect(row.length).toBeLessThanOrEqual(20);
  });
});
