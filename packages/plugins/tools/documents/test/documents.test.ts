import { pluginContract } from '@tenon/kernel/testing';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { createDocuments } from '../src/documents.ts';
import plugin from '../src/plugin.ts';
import { docxOf, pdfOf, signal, xlsxOf, zipOf } from '@tenon/test-kit/office-files';

const documents = createDocuments();
const text = async (bytes: Uint8Array, name: string) => (await documents.toText(bytes, { name, signal }))?.text;

describe('documents', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));
});

describe('what bytes are', () => {
  it('is told by their start, whatever the name says', async () => {
    const kind = (bytes: Uint8Array, name = 'x') => documents.kindOf(name, bytes);
    expect(kind(pdfOf([['hi']]), 'a.txt')).toBe('pdf');
    expect(kind(await docxOf(''))).toBe('docx');
    expect(kind(await xlsxOf(''))).toBe('xlsx');
    expect(kind(await zipOf({ 'a.txt': 'x' }), 'a.docx')).toBe('zip');
    expect(kind(Buffer.from('SQLite format 3\0'))).toBe('sqlite');
    expect(kind(Buffer.from('{"cells": []}'), 'n.ipynb')).toBe('notebook');
    expect(kind(Buffer.from('plain text '.repeat(100)), 'a.pdf')).toBeUndefined();
    expect(kind(new Uint8Array(0), 'a.png')).toBeUndefined();
  });
});

describe('PDF', () => {
  it('comes page by page, with lines as they stand on the page', async () => {
    const pdf = pdfOf([['First line', 'second (line)'], [], ['Last']]);
    const result = await documents.toText(pdf, { name: 'a.pdf', signal });
    expect(result?.text).toBe('## Page 1\n\nFirst line\nsecond (line)\n\n## Page 3\n\nLast\n');
    expect(result?.notes).toEqual(['PDF, 3 pages', 'no text on page 2: pictures or a scan']);
  });

  it('that is damaged is refused with the reason', async () => {
    await expect(text(Buffer.from('%PDF-1.7\ngarbage'), 'bad.pdf')).rejects.toMatchObject({
      code: 'DOCUMENTS_UNREADABLE',
      message: expect.stringContaining('bad.pdf cannot be read as PDF'),
    });
  });

  it('is given up when the caller gives up', async () => {
    const abort = new AbortController();
    const reading = documents.toText(pdfOf([['x']]), { name: 'a.pdf', signal: abort.signal });
    abort.abort();
    await expect(reading).rejects.toThrow(/abort/i);
  });
});

describe('Word documents', () => {
  it('keep headings, lists, tables, links and emphasis', async () => {
    const p = (inner: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
    const r = (words: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${words}</w:t></w:r>`;
    const item = (level: number) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;
    const docx = await docxOf(
      p(r('Report'), '<w:pStyle w:val="T"/>') +
        p(r('Part &lt;1&gt;'), '<w:pStyle w:val="H2"/>') +
        p(r('Some ') + r('bold', '<w:b/>') + r(' and ') + r('slanted', '<w:i/>') + r(' words', '<w:b w:val="0"/>')) +
        p(`See <w:hyperlink r:id="l1">${r('here')}</w:hyperlink>`) +
        p(r('one'), item(0)) +
        p(r('deeper'), item(1)) +
        p('<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>') +
        `<w:tbl><w:tr><w:tc>${p(r('a'))}</w:tc><w:tc>${p(r('b|c'))}</w:tc></w:tr><w:tr><w:tc>${p(r('1'))}</w:tc></w:tr></w:tbl>`,
    );
    expect(await text(docx, 'a.docx')).toBe(
      '# Report\n\n## Part <1>\n\nSome **bold** and _slanted_ words\n\n[here](https://example.org/)\n\n- one\n  1. deeper\n\n' +
        '| a | b\\|c |\n| --- | --- |\n| 1 |  |\n',
    );
  });

  it('keep text boxes, notes and lists that come from a style', async () => {
    const r = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`;
    const docx = await docxOf(
      `<w:p>${r('Before ')}<w:r><w:txbxContent><w:p>${r('boxed')}</w:p></w:txbxContent></w:r>${r('after')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
        `<w:p><w:pPr><w:pStyle w:val="B"/></w:pPr>${r('point')}</w:p>`,
      {
        'word/styles.xml':
          '<w:styles><w:style w:styleId="B"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>',
        'word/footnotes.xml': `<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p>${r(' Really.')}</w:p></w:footnote></w:footnotes>`,
      },
    );
    expect(await text(docx, 'a.docx')).toBe('boxed\n\nBefore after[^2]\n\n- point\n\n## Notes\n\n[^2]: Really.\n');
  });

  it('that would unpack to gigabytes are refused, and bounded while they are read', async () => {
    const bomb = await docxOf(`<w:p>${' '.repeat(70 * 1024 * 1024)}</w:p>`);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(text(bomb, 'bomb.docx')).rejects.toMatchObject({ code: 'DOCUMENTS_TOO_LARGE' });
  });
});

describe('workbooks', () => {
  it('come as one table for each sheet, dates as dates', async () => {
    const row = (number: number, cells: string) => `<row r="${number}">${cells}</row>`;
    const book = await xlsxOf(
      row(1, '<c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>When</t></is></c>') +
        row(2, '<c r="A2" t="s"><v>1</v></c><c r="B2"><f>1+1</f><v>2</v></c><c r="C2" s="1"><v>45658</v></c>') +
        row(3, '<c r="A3"><f>A1&amp;1</f></c><c r="B3" t="b"><v>1</v></c><c r="C3" s="2"><v>45658.75</v></c>'),
    );
    expect(await text(book, 'a.xlsx')).toBe(
      '## Sales (3 rows)\n\n| Name |  | When |\n| --- | --- | --- |\n| Ada & co | 2 | 2025-01-01 |\n| =A1&1 | TRUE | 2025-01-01 18:00:00 |\n\n' +
        '## Old (0 rows, hidden)\n\n(empty)\n',
    );
  });
});

describe('other documents', () => {
  it('presentations come slide by slide in their order, with notes', async () => {
    const slide = (...texts: string[]) =>
      `<p:sld>${texts.map((t) => `<p:txBody><a:p><a:r><a:t>${t}</a:t></a:r></a:p></p:txBody>`).join('')}</p:sld>`;
    const pptx = await zipOf({
      '[Content_Types].xml': '<Types/>',
      'ppt/presentation.xml': '<p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst>',
      'ppt/_rels/presentation.xml.rels':
        '<Relationship Id="a" Target="slides/slide1.xml"/><Relationship Id="b" Target="slides/slide2.xml"/>',
      'ppt/slides/slide1.xml': slide('Second'),
      'ppt/slides/slide2.xml': slide('First', 'body'),
      'ppt/slides/_rels/slide2.xml.rels': '<Relationship Id="n" Target="../notesSlides/notesSlide1.xml"/>',
      'ppt/notesSlides/notesSlide1.xml': slide('say this'),
    });
    expect(await text(pptx, 'a.pptx')).toBe(
      '## Slide 1\n\nFirst\n\nbody\n\nNotes:\n> say this\n\n## Slide 2\n\nSecond\n',
    );
  });

  it('books come chapter by chapter', async () => {
    const epub = await zipOf({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfile full-path="OPS/book.opf"/></container>',
      'OPS/book.opf':
        '<package><item id="c2" href="two.xhtml"/><item id="c1" href="one.xhtml"/><itemref idref="c1"/><itemref idref="c2"/></package>',
      'OPS/one.xhtml':
        '<html><head><title>no</title></head><body><h1>One</h1><p>Text&#160;with<br/>break</p><ul><li>a</li><li>b</li></ul></body></html>',
      'OPS/two.xhtml': '<body><table><tr><th>k</th><td>v</td></tr></table></body>',
    });
    expect(documents.kindOf('x', epub)).toBe('epub');
    expect(await text(epub, 'b.epub')).toBe(
      '# One\n\nText with\nbreak\n\n- a\n- b\n\n---\n\n| k | v |\n| --- | --- |\n',
    );
  });

  it('RTF loses its formatting and keeps its letters', async () => {
    const rtf = String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}\b Bold\b0  caf\'e9 \u8364?\par next\{\}}`;
    expect(await text(Buffer.from(rtf), 'a.rtf')).toBe('Bold café €\n\nnext{}\n');
  });

  it('notebooks come as cells, with what they printed', async () => {
    const notebook = {
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'words'] },
        { cell_type: 'code', source: 'print(1)', outputs: [{ output_type: 'stream', text: ['1\n'] }] },
      ],
    };
    expect(await text(Buffer.from(JSON.stringify(notebook)), 'n.ipynb')).toBe(
      '# %% [markdown] cell:0\n# Title\nwords\n\n# %% [code] cell:1\nprint(1)\n# > 1\n',
    );
    await expect(text(Buffer.from('{"cells": '), 'n.ipynb')).rejects.toThrow(/not valid JSON/);
  });

  it('in old formats are refused with the way to convert them', async () => {
    const old = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    await expect(text(old, 'a.doc')).rejects.toMatchObject({ next: expect.stringContaining('soffice') });
  });

  it('that are no documents give nothing', async () => {
    expect(await text(Buffer.from('hello'), 'a.txt')).toBeUndefined();
  });

  it('with markup that never ends are read once and not again and again', async () => {
    const docx = await docxOf(`${'<!-- '.repeat(200_000)}${'<a "'.repeat(200_000)}`);
    expect(await text(docx, 'a.docx')).toBe('\n');
  });
});

describe('images', () => {
  const noise = (width: number, height: number) =>
    sharp({
      create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
    });

  it('that are small stay as they are', async () => {
    const png = await sharp({ create: { width: 20, height: 10, channels: 4, background: '#f00' } })
      .png()
      .toBuffer();
    expect(await documents.image(png, { signal })).toEqual({
      data: png.toString('base64'),
      mimeType: 'image/png',
      width: 20,
      height: 10,
      notes: [],
    });
  });

  it('that are large are made smaller in pixels and bytes, and say by how much', async () => {
    const jpeg = await noise(2400, 1200).jpeg({ quality: 95 }).toBuffer();
    const image = await documents.image(jpeg, { signal });
    const bytes = Buffer.from(image.data, 'base64');
    expect(bytes.length).toBeLessThanOrEqual(500 * 1024);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: image.width, height: image.height });
    expect(Math.max(image.width, image.height)).toBeLessThanOrEqual(1568);
    expect(image.width / image.height).toBeCloseTo(2, 1);
    expect(image.notes[0]).toMatch(/of 2400x1200: multiply coordinates by/);
  });

  it('are turned upright', async () => {
    const lying = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#0f0' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(await documents.image(lying, { signal })).toMatchObject({
      width: 20,
      height: 40,
      notes: ['turned upright'],
    });
  });

  it('of other formats are converted', async () => {
    const tiff = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00f' } })
      .tiff()
      .toBuffer();
    expect((await documents.image(tiff, { signal })).mimeType).toMatch(/^image\/(png|webp|jpeg)$/);
  });

  it('can be many at once; those that wait can be given up', async () => {
    const png = await noise(50, 50).png().toBuffer();
    const abort = new AbortController();
    const all = Array.from({ length: 9 }, (_, index) =>
      documents.image(png, { signal: index < 7 ? signal : abort.signal }).then(
        ({ width }) => width,
        (fault: Error) => fault.name,
      ),
    );
    abort.abort();
    expect(await Promise.all(all)).toEqual([50, 50, 50, 50, 50, 50, 50, 'AbortError', 'AbortError']);
  });

  it('that are damaged or far too large to decode are refused before they reach a conversation', async () => {
    const png = await noise(200, 200).png().toBuffer();
    await expect(documents.image(png.subarray(0, 5000), { signal })).rejects.toMatchObject({ code: 'DOCUMENTS_IMAGE' });
    const huge = Buffer.from(png);
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    await expect(documents.image(huge, { signal })).rejects.toMatchObject({ code: 'DOCUMENTS_IMAGE' });
  });
});
