import { existsSync } from 'node:fs';
import type { Accelerators } from '@tenon/native';
import { errors } from '../errors.ts';
import type { ModeWork } from './modes.ts';
import { parseHunks } from './hunks.ts';
import { type FilePatch, planPatches } from './patch-files.ts';
import { joinUpdates } from './patch-mode.ts';
import { absolutePath } from '@tenon/tools/api';
import { payloadLines } from './text-lines.ts';

/** Edits in the envelope that Codex models write. */
export function createApplyPatchMode(hashline: () => Promise<Accelerators['hashline']>): ModeWork {
  return {
    touches(input, { cwd, partial = false }) {
      if (partial) return { writes: headersIn(String(input['input'] ?? '')) };
      return {
        writes: readEnvelope(input, cwd)
          .flatMap((patch) => [patch.path, ('moveTo' in patch && patch.moveTo) || []])
          .flat(),
      };
    },
    async plan(input, call) {
      const patches = joinUpdates(readEnvelope(input, call.cwd));
      return { edits: await planPatches(patches, call, await hashline(), { asCodex: true }) };
    },
    completePart(input) {
      const text = typeof input['input'] === 'string' ? input['input'] : '';
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      const lines = whole.split('\n');
      // A header alone says nothing yet.
      const last = lines.findLastIndex((line) => line.startsWith('*** '));
      const isBare =
        /^\*\*\* (?:Add|Update) File: |^\*\*\* Move to: /.test(lines[last] ?? '') &&
        lines.slice(last + 1).every((line) => line.trim() === '');
      const kept = isBare ? lines.slice(0, last).join('\n') : whole;
      return /^\*\*\* (?:Add|Update|Delete) File: /m.test(kept) ? { input: kept } : undefined;
    },
  };
}

// One blank behind the colon belongs to the form.
const HEADER = /^\*\*\* (Add|Update|Delete) File: ?(.*)$/;
const MOVE = /^\*\*\* Move to: ?(.*)$/;

function readEnvelope(input: Readonly<Record<string, unknown>>, cwd: string): readonly FilePatch[] {
  const parsed = parseEnvelope(String(input['input']));
  if ('problem' in parsed) throw errors.create('FILE_TOOLS_PATCH', { reason: `${parsed.problem}.` });
  // Like Codex, without blanks at the end of a header; but a file whose name ends with them is meant with them.
  const meant = (path: string) => (existsSync(absolutePath(cwd, path)) ? path : path.trimEnd());
  return parsed.patches.map((patch) => ({
    ...patch,
    path: meant(patch.path),
    ...('moveTo' in patch && { moveTo: meant(patch.moveTo) }),
  }));
}

/** The files of an envelope that is still being written. Its last line may be half of one. */
function headersIn(text: string): string[] {
  const paths = payloadLines(text.slice(0, text.lastIndexOf('\n') + 1)).map(
    (line) => HEADER.exec(line)?.[2] ?? MOVE.exec(line)?.[1],
  );
  return paths.filter((path) => path !== undefined);
}

/** Reads an envelope; its first and last line may be missing. */
export function parseEnvelope(text: string): { readonly patches: readonly FilePatch[] } | { readonly problem: string } {
  const lines = payloadLines(text);
  const sections: { op: string; path: string; moveTo?: string; body: string[]; line: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const header = HEADER.exec(line);
    const move = MOVE.exec(line);
    const section = sections.at(-1);
    if (/^\*\*\* End Patch\s*$/.test(line)) break;
    if (header) {
      const path = header[2] ?? '';
      if (path.trim() === '') return { problem: `line ${index + 1}: "${line.trim()}" names no file` };
      sections.push({ op: header[1] ?? '', path, body: [], line: index + 1 });
    } else if (move) {
      const path = move[1] ?? '';
      if (section?.op !== 'Update' || section.body.length > 0 || path.trim() === '') {
        return { problem: `line ${index + 1}: "*** Move to: PATH" belongs right under "*** Update File: PATH"` };
      }
      section.moveTo = path;
    } else if (section) section.body.push(line);
    else if (!isWrapping(line)) {
      const expected = '"*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"';
      return { problem: `line ${index + 1}: expected ${expected}, found "${line.slice(0, 60)}"` };
    }
  }
  if (sections.length === 0)
    return { problem: 'it has no "*** Add File:", "*** Update File:" or "*** Delete File:" line' };
  const patches: FilePatch[] = [];
  for (const section of sections) {
    const patch = readSection(section);
    if ('problem' in patch) return patch;
    patches.push(patch);
  }
  return { patches };
}

/** What may stand before the first file: the envelope, a fence, a heredoc, nothing. */
function isWrapping(line: string): boolean {
  return /^(?:\*\*\* Begin Patch|```\w*|(?:apply_patch )?<<-?\s*['"]?\w+['"]?)?\s*$/.test(line.trim());
}

function readSection({
  op,
  path,
  moveTo,
  body,
  line,
}: {
  op: string;
  path: string;
  moveTo?: string;
  body: readonly string[];
  line: number;
}): FilePatch | { readonly problem: string } {
  if (op === 'Delete') {
    const stray = body.findIndex((text) => text.trim() !== '');
    if (stray < 0) return { op: 'delete', path };
    return { problem: `line ${line + stray + 1}: nothing may follow "*** Delete File:"` };
  }
  if (op === 'Add') {
    const rows = body.at(-1)?.trim() === '' ? body.slice(0, -1) : body;
    const stray = rows.findIndex((text) => !text.startsWith('+'));
    if (stray >= 0) return { problem: `line ${line + stray + 1}: every line of a new file must start with "+"` };
    return { op: 'create', path, content: rows.map((text) => `${text.slice(1)}\n`).join('') };
  }
  if (moveTo !== undefined && body.every((text) => text.trim() === ''))
    return { op: 'update', path, hunks: [], moveTo };
  const offset = line + (moveTo === undefined ? 0 : 1);
  const parsed = parseHunks(body.map((text) => `${text}\n`).join(''), offset);
  if ('problem' in parsed) return parsed;
  return { op: 'update', path, hunks: parsed.hunks, ...(moveTo !== undefined && { moveTo }) };
}
