import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { manPage } from '../src/man-page.ts';
import { builtInCommands } from './sample-table.ts';

/** As a terminal shows it; nothing where groff is not installed. */
function rendered(page: string): { readonly text: string; readonly complaints: string } | undefined {
  const { status, stdout, stderr, error } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou'], {
    input: page,
    encoding: 'utf8',
  });
  return error || status !== 0 ? undefined : { text: stdout, complaints: stderr };
}

describe('the manual page', () => {
  const page = manPage(builtInCommands(), '1.2.3');

  it('has the commands, their flags and examples, the variables and the exit codes', () => {
    expect(page).toContain('.TH TENON 1 "" "tenon 1.2.3"');
    expect(page).toContain('.SS "tenon config set"');
    expect(page).toContain('\\fB\\-\\-json\\fR');
    expect(page).toContain('.SH "EXIT STATUS"');
    expect(page).not.toContain('__complete');
  });

  it('begins with the command that needs no name, and its examples', () => {
    const spec = { summary: 'Work', root: true, examples: [{ command: 'tenon -p "x"', summary: 'One task' }] };
    const own = manPage([...builtInCommands(), { key: 'agent', spec, plugin: 'modes' }], '1.2.3');
    expect(own).toMatch(/\.SH SYNOPSIS\ntenon \[agent\]\n\.br\n/);
    expect(own).toMatch(/\.SH EXAMPLES\n\.PP\nOne task:\n\.RS\n\.nf\ntenon \\-p "x"\n/);
    expect(own.split('One task')).toHaveLength(2);
  });

  it('is set by groff without a complaint', ({ skip }) => {
    const shown = rendered(page);
    if (!shown) return skip('groff is not installed');
    expect(shown.complaints).toBe('');
    expect(shown.text).toContain('tenon config set');
    expect(shown.text).toContain('--json');
  });

  it('shows texts of manifests as they are: none of them is a request or an escape', ({ skip }) => {
    const words = ['.so /etc/passwd', "'br", '\\fBbold\\n(.x', '"quoted"', '.\\" gone', 'caf\u00e9 \u2026 ~^`'];
    const commands = words.map((text, index) => ({
      key: `pack c${index}`,
      spec: { summary: text, description: `${text}\n\n${text}`, examples: [{ command: text, summary: text }] },
      plugin: 'x',
    }));
    const hostile = manPage(commands, '1');
    expect(hostile).not.toMatch(/^\.so/m);
    const shown = rendered(hostile);
    if (!shown) return skip('groff is not installed');
    expect(shown.complaints).toBe('');
    for (const text of words) expect(shown.text).toContain(text.replace('\u2026', '...'));
  });
});
