/** Small files of many formats, made for the tests. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { putFiles, temporaryFolder } from './temporary.ts';

/** Never aborted. */
export const { signal } = new AbortController();

/** A folder whose files are named by `file`, and written when there is a content. */
export function folder(): { path: string; file(name: string, content?: string | Uint8Array): string; remove(): void } {
  const path = temporaryFolder('documents');
  return {
    path,
    file(name, content) {
      if (content !== undefined) putFiles(path, { [name]: content });
      return join(path, name);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Runs Python, which reads and writes these formats by code that is not ours. */
export function python(code: string, ...args: string[]): string {
  return execFileSync('python3', ['-c', code, ...args], { encoding: 'utf8' });
}

/** A zip file with the given parts, in this order. */
export async function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> {
  let offset = 0;
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const [path, content] of Object.entries(parts)) {
    const [name, bytes, deflated] = [Buffer.from(path), Buffer.from(content), deflateRawSync(content)];
    // As programs do it: what deflating does not make smaller is stored, and a book is known by its stored type.
    const [method, packed] = deflated.length < bytes.length ? [8, deflated] : [0, bytes];
    // Version 2.0, names in UTF-8, 1 January 1980.
    const kind = numbers([20, 2], [0x0800, 2], [method, 2], [0, 2], [0x21, 2]);
    const sizes = numbers([crc32(bytes), 4], [packed.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]);
    const file = Buffer.concat([numbers([0x04034b50, 4]), kind, sizes, name, packed]);
    const place = numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    files.push(file);
    directory.push(numbers([0x02014b50, 4], [20, 2]), kind, sizes, place, name);
    offset += file.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const disks = numbers([0, 2], [0, 2], [files.length, 2], [files.length, 2]);
  return Buffer.concat([
    ...files,
    ...directory,
    numbers([0x06054b50, 4]),
    disks,
    numbers([size, 4], [offset, 4], [0, 2]),
  ]);
}

/** Numbers as bytes, the lowest first; each with its width. */
function numbers(...fields: readonly (readonly [value: number, width: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, width]) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUIntLE(value, 0, width);
      return bytes;
    }),
  );
}

const relations = (links: Readonly<Record<string, string>>, mode = '') =>
  `<Relationships>${Object.entries(links)
    .map(([id, target]) => `<Relationship Id="${id}" Target="${target}"${mode}/>`)
    .join('')}</Relationships>`;

/** A Word document with the given body. */
export function docxOf(body: string, more: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations({ l1: 'https://example.org/' }, ' TargetMode="External"'),
    'word/styles.xml':
      '<w:styles><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>',
    'word/numbering.xml':
      '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>',
    ...more,
  });
}

/** A workbook with one sheet. */
export function xlsxOf(rows: string): Promise<Buffer> {
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Sales" sheetId="1" r:id="r1"/><sheet name="Old" sheetId="2" state="hidden" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({ r1: 'worksheets/sheet1.xml', r2: '/xl/worksheets/sheet2.xml' }),
    'xl/sharedStrings.xml': '<sst><si><t>Name</t></si><si><r><t>A</t></r><r><t>da &amp; co</t></r></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
  });
}

/** A PDF whose pages show the given lines; a page without lines is empty. */
export function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  const objects: string[] = [];
  const add = (text: string) => objects.push(text);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [index, lines] of pages.entries()) {
    const drawn = lines.map((line) => `(${line.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj 0 -16 Td`).join(' ');
    const stream = `BT /F1 12 Tf 72 720 Td ${drawn} ET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${end}`, 'latin1');
}
