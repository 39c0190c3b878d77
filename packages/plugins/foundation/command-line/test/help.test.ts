import { describe, expect, it } from 'vitest';
import { renderHelp } from '../src/help.ts';
import { commandsMarkdown } from '../src/markdown.ts';
import { builtInCommands, tableWith } from './sample-table.ts';

const view = (width: number) => ({ width, color: false });

describe('help', () => {
  it('fits every page to the width of the terminal', () => {
    const table = tableWith();
    const pages = ['', 'config', 'exit-codes', 'environment', ...table.visible.map(({ key }) => key)];
    for (const width of [50, 80, 200]) {
      for (const page of pages) {
        const tooWide = renderHelp(table, page.split(' ').filter(Boolean), view(width))
          .split('\n')
          // Usage and example lines are meant to be copied, so they are never broken.
          .filter((line) => line.length > Math.min(width, 100) && !/^ {2}(tenon|source|echo) /.test(line));
        expect(tooWide, `"${page}" at ${width}`).toEqual([]);
      }
    }
  });

  it('explains arguments, flags, choices, defaults, examples and exit codes of a command', () => {
    const page = renderHelp(tableWith(), ['tool', 'run'], view(100));
    for (const part of [
      'NAME',
      'USAGE',
      'tenon tool run [FLAGS] NAME',
      '-i, --input JSON',
      'default: {}',
      '--json',
      'EXAMPLES',
      'EXIT CODES',
    ]) {
      expect(page).toContain(part);
    }
    expect(renderHelp(tableWith(), ['completion'], view(100))).toContain('one of: bash, zsh, fish');
  });

  it('gives the commands with the same first word one row in the overview', () => {
    const page = renderHelp(tableWith(), [], view(100));
    expect(page).toMatch(/^ {2}config … +edit, get, list, path, schema, set, unset$/m);
    expect(page).toMatch(/^ {2}doctor +Check the installation/m);
    expect(renderHelp(tableWith(), ['config'], view(100))).toMatch(/^ {2}config set +Change a setting$/m);
  });

  it('begins with how most people begin: the first examples of the command that needs no name', () => {
    const examples = [
      { command: 'tenon', summary: 'The screen' },
      { command: 'tenon -p "x"', summary: 'One task' },
      { command: 'tenon -c', summary: 'Go on' },
    ];
    const spec = { summary: 'Work', group: 'Getting started', root: true, examples };
    const page = renderHelp(tableWith({ agent: spec }), [], view(100));
    expect(page).toMatch(
      /\nTO BEGIN WITH\n {2}# The screen\n {2}tenon\n\n {2}# One task\n {2}tenon -p "x"\n\nGETTING STARTED\n/,
    );
  });

  it('leaves hidden commands out of the overview', () => {
    expect(renderHelp(tableWith(), [], view(80))).not.toContain('__complete');
  });

  it('shows colours only when asked to', () => {
    expect(renderHelp(tableWith(), [], view(80))).not.toContain('\u001b');
    expect(renderHelp(tableWith(), [], { width: 80, color: true })).toContain('\u001b[1m');
  });

  it('suggests a topic for one that it does not know', () => {
    expect(() => renderHelp(tableWith(), ['confg'], view(80))).toThrow(/no help on "confg"\. Did you mean "config"/);
    expect(() => renderHelp(tableWith(), ['exit'], view(80))).toThrow(/Did you mean "exit-codes"/);
    expect(() => renderHelp(tableWith(), ['exit', 'now'], view(80))).toThrow(/^There is no help on "exit now"\.$/);
  });
});

describe('the reference in Markdown', () => {
  it('has a section for every visible command and none for hidden ones', () => {
    const text = commandsMarkdown(builtInCommands());
    for (const { key } of tableWith().visible) expect(text).toContain(`## tenon ${key}\n`);
    expect(text).not.toContain('__complete');
  });

  it('keeps a pipe character from breaking a table', () => {
    const spec = { summary: 'x', flags: { a: { type: 'string' as const, summary: 'this|that' } } };
    expect(commandsMarkdown([{ key: 'x', spec, plugin: 'p' }])).toContain('this\\|that');
  });
});
