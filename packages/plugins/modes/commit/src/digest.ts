/** The diff as a model gets it: whole where it fits, else what matters of each file. */
import { cutText } from '@tenon/wording';
import type { StagedFile } from './staged.ts';

/** Files that programs write: their lines say nothing that the other files do not say. */
const GENERATED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock)$|\.min\.(js|css)$|\.snap$|\.svg$|(^|\/)(dist|generated|vendor|node_modules)\//;

/** A difference that was made to fit. */
export interface Digest {
  readonly text: string;
  /** The files of which only a part is in it. */
  readonly shortened: readonly string[];
}

/** Puts the differences of all files into so many characters. */
export function digestOf(files: readonly StagedFile[], maxChars: number): Digest {
  const whole = files.map((file) =>
    GENERATED.test(file.path) ? headOf(file, 'made by a program; its lines are left out') : file.diff,
  );
  if (whole.join('').length <= maxChars)
    return {
      text: whole.join('\n'),
      shortened: files.filter(({ path }) => GENERATED.test(path)).map(({ path }) => path),
    };
  // Small files keep everything; what they leave goes to the others.
  const bySize = files
    .map((file, index) => ({ file, index, text: whole[index] ?? '' }))
    .sort((a, b) => a.text.length - b.text.length);
  const parts: string[] = [];
  const shortened: string[] = [];
  let left = maxChars;
  for (const [rank, { file, index, text }] of bySize.entries()) {
    const share = Math.max(0, Math.floor(left / (bySize.length - rank)));
    const part = text.length <= share ? text : outline(file, share);
    if (part !== file.diff) shortened.push(file.path);
    parts[index] = part;
    left -= part.length;
  }
  return { text: parts.join('\n'), shortened };
}

function headOf({ path, from, change, added, removed, isBinary }: StagedFile, note: string): string {
  const name = from === undefined ? path : `${from} -> ${path}`;
  return `### ${name} (${change}, ${isBinary ? 'binary' : `+${added} -${removed}`}; ${note})\n`;
}

/** Where the file changes, and the first changed lines of each place. */
function outline(file: StagedFile, maxChars: number): string {
  const head = headOf(file, 'shortened');
  const hunks = file.diff.split(/^(?=@@ )/m).slice(1);
  if (hunks.length === 0) return cutText(head, Math.max(maxChars, 80));
  const share = Math.max(40, Math.floor((maxChars - head.length) / hunks.length));
  const parts = hunks.map((hunk) => {
    const [title = '', ...lines] = hunk.split('\n');
    return cutText([title, ...lines.filter((line) => /^[+-]/.test(line))].join('\n'), share);
  });
  return cutText(head + parts.join('\n'), Math.max(maxChars, 80));
}
