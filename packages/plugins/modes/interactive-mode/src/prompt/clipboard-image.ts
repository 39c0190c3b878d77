/** An image from the clipboard, by the programs that desktops have for it. */
import { execFile } from 'node:child_process';
import type { ImageContent } from '@tenon/models/api';

const MOST_BYTES = 10 * 1024 * 1024;
const WAIT_MS = 5_000;

const PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['wl-paste', ['--no-newline', '--type', 'image/png']],
  ['xclip', ['-selection', 'clipboard', '-target', 'image/png', '-out']],
  ['pngpaste', ['-']],
  [
    'powershell.exe',
    [
      '-NoProfile',
      '-Command',
      '$i = Get-Clipboard -Format Image; if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); $o = [Console]::OpenStandardOutput(); $m.WriteTo($o) }',
    ],
  ],
];

/** The image in the clipboard; nothing when there is none, or no program that could tell. */
export async function clipboardImage(): Promise<ImageContent | undefined> {
  for (const [program, words] of PROGRAMS) {
    const bytes = await output(program, words);
    if (bytes && bytes.subarray(1, 4).toString('latin1') === 'PNG')
      return { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' };
  }
  return undefined;
}

function output(program: string, words: readonly string[]): Promise<Buffer | undefined> {
  return new Promise((done) => {
    const options = { encoding: 'buffer', maxBuffer: MOST_BYTES, timeout: WAIT_MS } as const;
    // A program that is missing, or has no image, is an answer: the next one is tried.
    execFile(program, [...words], options, (fault, stdout) => done(fault || stdout.length === 0 ? undefined : stdout));
  });
}
