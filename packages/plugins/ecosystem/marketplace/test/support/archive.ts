/** Writes archives, hostile ones too, block by block. */
import { gzipSync } from 'node:zlib';

/** One entry of an archive, as it is written and not as it should be. */
export interface RawEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  /** What the header claims instead of the truth. */
  readonly size?: number;
}

function header({ path, type = '0', mode = 0o644, link = '' }: RawEntry, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0, 100);
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  block.write(`${'0'.repeat(7)}\0`, 108);
  block.write(`${'0'.repeat(7)}\0`, 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(`${'0'.repeat(11)}\0`, 136);
  block.write(type, 156);
  block.write(link, 157, 100);
  block.write('ustar\x0000', 257);
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The bytes of an archive that is not packed. */
export function tar(entries: readonly RawEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [header(entry, entry.size ?? content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A packed archive. */
export function tgz(entries: readonly RawEntry[]): Buffer {
  return gzipSync(tar(entries));
}

/** An npm package of files. */
export function npmPackage(files: Readonly<Record<string, string>>): Buffer {
  return tgz(
    Object.entries(files).map(([path, content]) => ({
      path: `package/${path}`,
      content,
      mode: path.endsWith('.sh') ? 0o755 : 0o644,
    })),
  );
}
