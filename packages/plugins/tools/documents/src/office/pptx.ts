/** Presentations as Markdown: one section for each slide, with its speaker's notes. */
import type { DocumentText } from '../api.ts';
import { errors } from '../errors.ts';
import { markdownTable } from './markdown-table.ts';
import { openParts } from './parts.ts';
import { walkXml, type XmlAttributes } from './xml.ts';

const MAIN = 'ppt/presentation.xml';

/** The slides in their order. */
export async function pptxText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const parts = await openParts(bytes, name, signal);
  const relations = await parts.relations(MAIN);
  const slides: string[] = [];
  const open = (element: string, { id }: XmlAttributes): void => {
    // Its own number and the link to its part are both called id; the link comes last and wins.
    const part = element === 'sldId' ? relations.get(id ?? '') : undefined;
    if (part !== undefined) slides.push(part);
  };
  await walkXml((await parts.text(MAIN)) ?? '', { open }, signal);
  if (slides.length === 0) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a presentation', reason: 'it has no slides' });
  }
  const sections: string[] = [];
  for (const [index, slide] of slides.entries()) {
    const content = await slideText((await parts.text(slide)) ?? '', signal);
    const notesPart = [...(await parts.relations(slide)).values()].find((part) => part.includes('notesSlide'));
    const spoken = notesPart === undefined ? '' : await slideText((await parts.text(notesPart)) ?? '', signal);
    const quoted = spoken === '' ? [] : [`Notes:\n${spoken.replaceAll(/^/gm, '> ')}`];
    sections.push([`## Slide ${index + 1}`, content, ...quoted].filter(Boolean).join('\n\n'));
  }
  return {
    text: `${sections.join('\n\n')}\n`,
    notes: [`${slides.length} ${slides.length === 1 ? 'slide' : 'slides'}`],
  };
}

async function slideText(xml: string, signal: AbortSignal): Promise<string> {
  const blocks: string[] = [];
  let shape: string[] = [];
  let rows: string[][] | undefined;
  let paragraph = '';
  let level = 0;
  let isText = false;
  let isNumber = false;
  await walkXml(
    xml,
    {
      open(name, { lvl, type }) {
        if (name === 'p') [paragraph, level] = ['', 0];
        if (name === 'pPr') level = Number(lvl ?? '0') || 0;
        if (name === 't') isText = true;
        // The number of the slide is a field in a shape of its own.
        if (name === 'fld') isNumber = type === 'slidenum';
        if (name === 'br') paragraph += '\n';
        if (name === 'tbl') rows = [];
        if (name === 'tr') rows?.push([]);
        if (name === 'tc' || name === 'txBody') shape = [];
      },
      close(name) {
        if (name === 't') isText = false;
        if (name === 'fld') isNumber = false;
        if (name === 'p' && paragraph.trim() !== '')
          shape.push(`${level > 0 ? `${'  '.repeat(level)}- ` : ''}${paragraph.trim()}`);
        if (name === 'tc') rows?.at(-1)?.push(shape.join(' '));
        if (name === 'tbl' && rows) {
          blocks.push(markdownTable(rows));
          rows = undefined;
        }
        if (name === 'txBody' && !rows && shape.length > 0) blocks.push(shape.join('\n'));
      },
      text(piece) {
        if (isText && !isNumber) paragraph += piece;
      },
    },
    signal,
  );
  return blocks.join('\n\n');
}
