import { TenonError } from '@tenon/kernel';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refOf, selectorOf } from '../src/actions/elements.ts';
import { isExpression } from '../src/actions/look.ts';
import { onlyVisible, withoutBoxes } from '../src/actions/snapshot.ts';
import { isOpenable, parseAddress } from '../src/address.ts';
import { present } from '../src/present.ts';
import { stepsOf } from '../src/steps.ts';
import { touchesOfCall } from '../src/touches.ts';

const here = { cwd: '/project', files: false, partial: false };

describe('addresses', () => {
  it('are completed as people write them', () => {
    const read = (text: string) => parseAddress(text, { files: false }).href;
    expect(read('localhost:3000')).toBe('http://localhost:3000/');
    expect(read('localhost')).toBe('http://localhost/');
    expect(read('127.0.0.1:80/x')).toBe('http://127.0.0.1/x');
    expect(read('example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(read(' https://example.org ')).toBe('https://example.org/');
    expect(read('about:blank')).toBe('about:blank');
  });

  it('are refused when they are none of the web', () => {
    for (const text of [
      'file:///etc/passwd',
      'chrome://version',
      'view-source:http://x',
      'data:text/html,x',
      'javascript:alert(1)',
      'about:config',
      'devtools://x',
      '',
      'no address',
    ])
      expect(() => parseAddress(text, { files: false }), text).toThrow(/cannot be opened/);
    expect(parseAddress('file:///a', { files: true }).href).toBe('file:///a');
    expect(isOpenable('chrome://settings', { files: true })).toBe(false);
    expect(isOpenable('file:///a', { files: false })).toBe(false);
  });

  it('never lead to another kind than those, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `file:${text}`),
        ),
        (text) => {
          try {
            expect(parseAddress(text, { files: false }).protocol).toMatch(/^(?:https?|about):$/);
          } catch (fault) {
            expect(fault).toBeInstanceOf(TenonError);
          }
        },
      ),
    );
  });
});

describe('what a call touches', () => {
  it('is the host of an address, the files of an upload, the file of a picture, and code', () => {
    expect(touchesOfCall({ action: 'open', url: 'example.org' }, here)).toEqual({ hosts: ['https://example.org/'] });
    expect(touchesOfCall({ action: 'open' }, here)).toEqual({});
    expect(touchesOfCall({ action: 'observe' }, here)).toEqual({});
    expect(touchesOfCall({ action: 'click', id: 'e1' }, here)).toEqual({ hosts: [] });
    expect(touchesOfCall({ action: 'upload', id: 'e1', files: ['a', '~/b'] }, here)).toMatchObject({
      reads: ['/project/a', expect.stringMatching(/^\/.*\/b$/)],
    });
    expect(touchesOfCall({ action: 'screenshot', path: 'x/y.png' }, here)).toEqual({ writes: ['/project/x/y.png'] });
    expect(touchesOfCall({ action: 'run', code: 'x' }, here)).toEqual({
      hosts: [],
      commands: [{ text: 'x', language: 'javascript', cwd: '/project' }],
    });
    expect(touchesOfCall({ action: 'goto', url: 'file:///etc/x' }, { ...here, files: true })).toMatchObject({
      reads: ['/etc/x'],
    });
  });

  it('is that of all steps together, and a wrong one refuses the call', () => {
    const steps = [
      { action: 'open', url: 'http://one.example/' },
      { action: 'upload', selector: 'input', files: ['/etc/shadow'] },
      { action: 'goto', url: 'http://two.example/' },
    ];
    expect(touchesOfCall({ steps }, here)).toEqual({
      hosts: ['http://one.example/', 'http://two.example/'],
      reads: ['/etc/shadow'],
    });
    expect(() => touchesOfCall({ action: 'goto', url: 'file:///etc/shadow' }, here)).toThrow(/cannot be opened/);
    expect(touchesOfCall({}, { ...here, partial: true })).toEqual({});
    expect(touchesOfCall({ action: 'open', url: 'htt' }, { ...here, partial: true })).toEqual({});
  });
});

describe('input', () => {
  it('is one action or several, which share a tab', () => {
    expect(stepsOf({ action: 'open', timeout: 3 })).toEqual([{ action: 'open' }]);
    expect(stepsOf({ name: 'a', steps: [{ action: 'open' }, { action: 'close', name: 'b' }] })).toEqual([
      { name: 'a', action: 'open' },
      { name: 'b', action: 'close' },
    ]);
  });

  it('takes ids and selectors in several spellings', () => {
    expect([5, '5', 'e5', '[ref=e5]', 'ref=e5', ' f1e2 '].map(refOf)).toEqual(['e5', 'e5', 'e5', 'e5', 'e5', 'f1e2']);
    expect(['#a', 'text/Go', 'p-xpath///a', 'pierce/b', 'text=x'].map(selectorOf)).toEqual([
      '#a',
      'text=Go',
      'xpath=//a',
      'css=b',
      'text=x',
    ]);
  });

  it('tells expressions from statements without running them', () => {
    expect(['1 + 1', 'document.title', 'await fetch("/x")', '{ a: 1 }'].map(isExpression)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['return 1', 'const a = 1; return a', ')', '1 + 1)); process.exit(('].map(isExpression)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the tree', () => {
  const tree = [
    '- main [ref=e1] [box=0,0,800,3000]:',
    '  - heading "Top" [ref=e2] [box=0,10,100,20]',
    '  - link "Far" [ref=e3] [box=0,2000,100,20]:',
    '    - /url: /far',
    '    - text: inside',
    '  - paragraph [ref=e4] [box=0,700,100,20]: near',
    '  - iframe [ref=e5] [box=0,100,10,10]:',
    '    - button "x" [ref=f1e1] [box=0,5000,1,1]',
  ].join('\n');

  it('leaves out what is not in the viewport, with what belongs to it', () => {
    expect(onlyVisible(tree, { width: 800, height: 800 })).toBe(
      [
        '- main [ref=e1]:',
        '  - heading "Top" [ref=e2]',
        '  - paragraph [ref=e4]: near',
        '  - iframe [ref=e5]:',
        '    - button "x" [ref=f1e1]',
      ].join('\n'),
    );
    expect(withoutBoxes(tree)).not.toMatch(/box=/);
  });

  it('only ever loses lines', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tree.split('\n'))), fc.nat(3000), (lines, height) => {
        const all = lines.map((line) => withoutBoxes(line));
        const kept = onlyVisible(lines.join('\n'), { width: 800, height }).split('\n');
        let at = 0;
        for (const line of kept.filter(Boolean)) {
          at = all.indexOf(line, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('an answer', () => {
  it('stays within its size however many steps say however much, and a page cannot end its own marks', async () => {
    const scope = { session: 's', cwd: '/', artifact: async () => ({ id: '7', path: '/dev/null' }) };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 }),
        fc.nat(500),
        async (pages, factor) => {
          const results = pages.map((page) => ({ text: 'x', page: page.repeat(factor) }));
          const [content] = await present(results, [], scope, '/');
          const text = content?.type === 'text' ? content.text : '';
          expect(Buffer.byteLength(text)).toBeLessThan(52 * 1024);
          const [, mark] = /\[page content (\w{6}), untrusted\]/.exec(text) ?? [];
          if (mark !== undefined) expect(text.split(`[end of page content ${mark}]`).length - 1).toBe(pages.length);
        },
      ),
      { numRuns: caseCount(30) },
    );
  });
});
