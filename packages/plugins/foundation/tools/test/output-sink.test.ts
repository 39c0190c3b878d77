import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutputSink } from '../src/output-sink.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tenon-sink-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const sinkOf = (maxBytes: number, maxSpillBytes = 1e9) =>
  new OutputSink({ maxBytes, maxSpillBytes, spill: async () => ({ path: join(folder, `${files++}.log`) }) });

describe('the output sink', () => {
  it('keeps whole lines of the end, the start, and everything in the file, however the output is cut into pieces', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', '') + '\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 30 })),
        async (lines, cuts) => {
          const output = lines.join('');
          const sink = sinkOf(100);
          let from = 0;
          for (let index = 0; from < output.length; index++) {
            // Pieces are whole characters: the sanitizer before the sink sees to that.
            const piece = Array.from(output.slice(from))
              .slice(0, cuts[index % Math.max(1, cuts.length)] ?? 7)
              .join('');
            await sink.push(piece);
            from += piece.length;
          }
          const { head, tail, isTruncated, totalLines, totalBytes, file } = await sink.end();
          expect(totalLines).toBe(lines.length);
          expect(totalBytes).toBe(Buffer.byteLength(output));
          expect(isTruncated).toBe(totalBytes > 100);
          expect(output.startsWith(head) && output.endsWith(tail)).toBe(true);
          if (!isTruncated) expect(tail).toBe(output);
          else {
            expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(100);
            expect(lines.slice(lines.length - tail.split('\n').length + 1).join('')).toBe(tail);
            expect(readFileSync(file!.path, 'utf8')).toBe(output);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does not fill the disk, and says that the file ends early', async () => {
    const sink = sinkOf(10, 25);
    for (let index = 0; index < 10; index++) await sink.push('12345678\n');
    const summary = await sink.end();
    expect(summary).toMatchObject({ isFileCut: true, totalBytes: 90, totalLines: 10 });
    expect(readFileSync(summary.file!.path, 'utf8')).toHaveLength(25);
  });

  it('goes on without a file when none can be made, and says why', async () => {
    const sink = new OutputSink({
      maxBytes: 10,
      maxSpillBytes: 100,
      spill: () => Promise.reject(new Error('disk full')),
    });
    await sink.push('1234567890\nend\n');
    expect(await sink.end()).toMatchObject({ tail: 'end\n', isTruncated: true, fileProblem: 'disk full' });
  });
});
