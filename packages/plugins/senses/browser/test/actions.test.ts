import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import type { ToolResult } from '@tenon/tools/api';
import { surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { agentHooks, chromium, openBrowserBench, serve } from './browser-bench.ts';

const FORM = `<!doctype html><title>Form</title><body style="height: 3000px">
<h1>Order</h1>
<form action="/done"><label>Name <input name="name"></label>
<select name="size" aria-label="Size"><option value="s">Small</option><option value="l">Large</option></select>
<input type="file" name="file" aria-label="File" onchange="this.files[0].text().then((t) => { out.textContent = this.files[0].name + ':' + t })">
<button>Send</button></form>
<div id="out"></div>
<div id="hover" onmouseover="this.textContent = 'hovered'">over me</div>
<div id="from" draggable="true" style="width: 50px; height: 50px; background: red" ondragstart="event.dataTransfer.setData('text', 'it')">drag</div>
<div id="to" style="width: 50px; height: 50px; background: blue" ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.textContent = 'dropped ' + event.dataTransfer.getData('text')">drop</div>
<input id="keys" onkeydown="out.textContent = event.key">
<div id="box" style="height: 50px; overflow: auto"><div style="height: 500px">tall</div></div>
<iframe srcdoc="<button onclick='this.textContent = 1 + 1'>inner</button>"></iframe>
<p id="late"></p>
<script>console.log('hello', { a: 1 }); console.error('bad thing'); setTimeout(() => { late.textContent = 'arrived'; }, 300);
fetch('/missing');</script>`;

const ARTICLE = `<!doctype html><title>On joints</title><nav><a href="/x">menu</a></nav><article><h1>On joints</h1>
${Array.from({ length: 8 }, (_, i) => `<p>Paragraph ${i}: a tenon is the tongue that fits a mortise, and wood that moves stays together because of it. See <a href="/more">more</a>.</p>`).join('\n')}
</article><footer>imprint</footer>`;

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings(agentHooks) });
  });
});

describe.skipIf(chromium === undefined)('actions on real pages', () => {
  let bench: Workbench;
  let origin: string;
  const call = (input: Record<string, unknown>): Promise<ToolResult> => bench.run('browser', input);
  const ok = async (input: Record<string, unknown>): Promise<string> => bench.ok('browser', input);

  beforeAll(async () => {
    const site = await serve({
      '/': FORM,
      '/done': '<title>Done</title><p>thanks</p>',
      '/article': ARTICLE,
      '/file': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="../data.csv"' })
          .end('a,b\n1,2\n'),
      '/links': '<title>Links</title><a href="/file">get</a><a href="/done" target="_blank">new</a>',
    });
    origin = site.origin;
    bench = await openBrowserBench({ allowHosts: [site.host] }, { files: { 'note.txt': 'from the workspace' } });
  });
  afterAll(() => bench.dispose());

  it('asks for open before anything else, and says which inputs are wrong', async () => {
    expect(await bench.fails('browser', { action: 'observe' })).toMatch(
      /no tab "main"\. Open tabs: none\. Call with action "open"/,
    );
    expect(await bench.fails('browser', {})).toMatch(/Give action, for example/);
    expect(await bench.fails('browser', { action: 'open', steps: [{ action: 'tabs' }] })).toMatch(/beside steps/);
    expect(await bench.fails('browser', { action: 'fly' })).toMatch(/action: must be one of \["open"/);
    expect(await ok({ action: 'tabs' })).toBe('No tabs are open.');
  });

  it('opens a page and shows its tree with ids, viewport and place', async () => {
    const opened = await call({ action: 'open', url: origin });
    expect(textOf(opened)).toMatch(/^Opened tab "main": http:\/\/localhost:\d+\/ "Form" \(200\)/);
    expect(textOf(opened)).toMatch(/\[\d console errors? on "main"; see action "console"\.\]/);
    const tree = await ok({ action: 'observe' });
    expect(tree).toMatch(/Viewport 1280x800, scrolled to 0,0 of 1280x3\d{3}/);
    expect(tree).toMatch(/- heading "Order" \[level=1\] \[ref=e\d+\]/);
    expect(tree).toMatch(/- textbox "Name" \[ref=e\d+\]/);
    expect(tree).toMatch(/- button "inner" \[ref=f\d+e\d+\]/);
    expect(await ok({ action: 'observe', selector: 'form' })).not.toMatch(/inner/);
  });

  it('acts on ids, also in frames, and says when one is stale', async () => {
    const tree = await ok({ action: 'observe' });
    const id = (pattern: RegExp) => pattern.exec(tree)?.[1] ?? 'none';
    const inner = id(/"inner" \[ref=(f\d+e\d+)\]/);
    await ok({ action: 'click', id: inner });
    expect(await ok({ action: 'get_text', id: inner })).toMatch(/\n2\n/);
    expect(await ok({ action: 'fill', id: id(/textbox "Name" \[ref=e(\d+)\]/), text: 'Ada' })).toMatch(
      /^Filled e\d+\./,
    );
    expect(await ok({ action: 'run', code: 'document.querySelector("[name=name]").value' })).toMatch(/\nAda\n/);
    expect(await bench.fails('browser', { action: 'click', id: 'e9999' })).toMatch(/no element e9999.*observe/);
    expect(await bench.fails('browser', { action: 'click', id: 'x > y' })).toMatch(/no element/);
  });

  it('types, presses, selects, hovers, drags and scrolls by selector', async () => {
    expect(await ok({ action: 'select', selector: 'select', values: ['Large'] })).toMatch(
      /Selected in "select": \["l"\]/,
    );
    await ok({ action: 'hover', selector: '#hover' });
    expect(await ok({ action: 'get_text', selector: '#hover' })).toMatch(/hovered/);
    expect(await ok({ action: 'type', selector: '#keys', text: 'ab' })).toMatch(/Typed into/);
    await ok({ action: 'press', selector: '#keys', key: 'ArrowLeft' });
    expect(await ok({ action: 'get_text', selector: '#out' })).toMatch(/ArrowLeft/);
    await ok({ action: 'drag', selector: '#from', to_selector: '#to' });
    expect(await ok({ action: 'get_text', selector: '#to' })).toMatch(/dropped it/);
    expect(await ok({ action: 'scroll', dy: 400 })).toMatch(/the page is at 0,[1-9]\d*/);
    await ok({ action: 'scroll', selector: '#box', dy: 100 });
    expect(await ok({ action: 'run', code: 'return box.scrollTop' })).toMatch(/\n100\n/);
    expect(await ok({ action: 'observe', visible: true })).not.toMatch(/heading "Order"/);
    expect(await ok({ action: 'get_attribute', selector: '#from', attribute: 'draggable' })).toMatch(/\ntrue\n/);
    expect(await ok({ action: 'get_attribute', selector: '#from', attribute: 'nope' })).toMatch(
      /has no attribute "nope"/,
    );
    expect(await ok({ action: 'get_html', selector: '#hover' })).toMatch(/<div id="hover"/);
    expect(await ok({ action: 'get_text', selector: 'text/hovered' })).toMatch(/hovered/);
  });

  it('uploads copies of files, and nothing that is no file', async () => {
    await ok({ action: 'upload', selector: '[type=file]', files: ['note.txt'] });
    await ok({ action: 'wait_for', text: 'note.txt:from the workspace' });
    expect(await bench.fails('browser', { action: 'upload', selector: '[type=file]', files: ['none.txt'] })).toMatch(
      /"none\.txt" cannot be uploaded: ENOENT/,
    );
    expect(await bench.fails('browser', { action: 'upload', selector: '[type=file]', files: ['.'] })).toMatch(
      /it is not a file/,
    );
  });

  it('gives what code in the page returns, and why code fails', async () => {
    expect(await ok({ action: 'run', code: 'const x = await Promise.resolve({ a: [1] }); return x;' })).toMatch(
      /"a": \[\s+1/,
    );
    expect(await ok({ action: 'run', code: 'document.title' })).toMatch(/\nForm\n/);
    expect(await ok({ action: 'run', code: 'document.title = "Changed";' })).toMatch(/returned nothing|Changed/);
    expect(await bench.fails('browser', { action: 'run', code: 'nothing.here' })).toMatch(
      /failed in the page: “ReferenceError: nothing is not defined/,
    );
    expect(await bench.fails('browser', { action: 'run', code: 'return ](' })).toMatch(
      /failed in the page: “SyntaxError/,
    );
    expect(await ok({ action: 'run', code: 'process.cwd' }).catch(String)).toMatch(/process is not defined/);
  });

  it('shows the console and the requests', async () => {
    const lines = await ok({ action: 'console' });
    expect(lines).toMatch(/\[log\] hello \{a: 1\}/);
    expect(lines).toMatch(/\[error\] bad thing/);
    expect(await ok({ action: 'console', filter: 'BAD' })).not.toMatch(/hello/);
    expect(await ok({ action: 'network', filter: 'missing' })).toMatch(
      /404 GET http:\/\/localhost:\d+\/missing \(fetch \d+ms\)/,
    );
    expect(await ok({ action: 'network', filter: 'nowhere' })).toMatch(/^No requests/);
  });

  it('takes pictures that the model sees, and writes them where it is told', async () => {
    const result = await call({ action: 'screenshot', full_page: true, path: 'shots/page.png' });
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'image']);
    const file = readFileSync(join(bench.root, 'shots/page.png'));
    expect(file.subarray(1, 4).toString()).toBe('PNG');
    expect(file.readUInt32BE(20)).toBeGreaterThanOrEqual(3000);
    const part = await call({ action: 'screenshot', selector: '#to' });
    expect(textOf(part)).toMatch(/Screenshot of "#to".*50x5[01]/);
    expect(await bench.fails('browser', { action: 'screenshot', path: 'note.txt/x.png' })).toMatch(/cannot be written/);
  });

  it('follows a form, goes back, and runs steps until one fails', async () => {
    const result = await call({
      steps: [
        { action: 'goto', url: origin },
        { action: 'fill', selector: '[name=name]', text: 'Bo', submit: true },
        { action: 'wait_for', url: '/done?name=Bo' },
        { action: 'back' },
        { action: 'click', selector: '#gone' },
        { action: 'tabs' },
      ],
      timeout: 60,
    });
    expect(result.isError).toBe(true);
    const text = textOf(result);
    expect(text).toMatch(/1\. Tab "main" is at [\s\S]*3\. Tab "main" is at .*\/done\?name=Bo[\s\S]*4\. Tab/);
    expect(text).toMatch(/5\. Nothing on the page matches "#gone"\..*\(1 more step not run\)/);
    expect(result.details).toMatchObject({ error: { code: 'BROWSER_NO_ELEMENT' } });
  });

  it('extracts an article as Markdown', async () => {
    await ok({ action: 'open', name: 'reading', url: `${origin}/article` });
    const text = await ok({ action: 'extract', name: 'reading' });
    expect(text).toMatch(/# On joints\n\nParagraph 0: a tenon[\s\S]*\[more\]\(http:\/\/localhost:\d+\/more\)/);
    expect(text).not.toMatch(/imprint|menu/);
  });

  it('keeps downloads as artifacts, and adopts windows that pages open', async () => {
    await ok({ action: 'open', url: `${origin}/links` });
    expect(await ok({ action: 'click', selector: 'text=get' })).toMatch(/1 download begun/);
    const text = await ok({ action: 'downloads' });
    const [, id = ''] = /"[^"]*data\.csv" \(8B\): artifact:\/\/(\d+) from/.exec(text) ?? [];
    expect(readFileSync(join(bench.home, 'artifacts-one', `${id}.log`), 'utf8')).toBe('a,b\n1,2\n');
    expect(await ok({ action: 'goto', url: `${origin}/file` })).toMatch(/The address is a download/);
    expect(await ok({ action: 'click', selector: 'text=new' })).toMatch(/opened a new tab: "popup-1"/);
    expect(await ok({ action: 'get_text', name: 'popup-1' })).toMatch(/thanks/);
    expect(await ok({ action: 'tabs' })).toMatch(/- main: .*\n- reading: .*\n- popup-1: /);
    expect(await ok({ action: 'close', name: 'popup-1' })).toBe('Closed tab "popup-1".');
  });

  it('sets the viewport and keeps sessions apart', async () => {
    const input = { action: 'open', url: origin, viewport: { width: 500, height: 400, scale: 2 } };
    await bench.ok('browser', input, 'two');
    expect(
      await bench.ok('browser', { action: 'run', code: '[innerWidth, innerHeight, devicePixelRatio].join()' }, 'two'),
    ).toMatch(/\n500,400,2\n/);
    expect(await bench.ok('browser', { action: 'tabs' }, 'two')).toMatch(/^1 open/);
    expect(await bench.ok('browser', { action: 'close', all: true }, 'two')).toBe(
      'Closed 1 tab and ended the browser.',
    );
  });

  it('gives up after its time with what stood in the way', async () => {
    await ok({ action: 'goto', url: origin });
    await ok({
      action: 'run',
      code: 'const d = document.createElement("div"); d.id = "cover"; d.style = "position: fixed; inset: 0"; document.body.append(d)',
    });
    expect(await bench.fails('browser', { action: 'click', selector: 'button', timeout: 6 })).toMatch(
      /did not end within 6 seconds.*<div id="cover"><\/div> intercepts pointer events/,
    );
    expect(await bench.fails('browser', { action: 'wait_for', text: 'never', timeout: 1 })).toMatch(
      /did not end within 1 seconds/,
    );
  });
});
