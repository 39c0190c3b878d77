/** Patches for the comparison with Codex: files, what is meant to become of them, and an envelope that says so. */
import fc from 'fast-check';

/** Contents by path; a file that is not there has none. */
export type Files = Readonly<Record<string, string>>;

/** A patch with the files that it is for. */
export interface PatchWorld {
  readonly before: Files;
  /** What the author of the patch meant; nothing when it makes no sense. */
  readonly meant: Files | undefined;
  readonly patch: string;
}

/** Few different lines, so that many places look alike. */
const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('a', 'b', '', '', '}', '  return x;', '  go();', 'function f() {', 'class A {'),
  },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 99 }).map((number) => `line ${number}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\tx',
      'x  ',
      '“quoted” – dash',
      '‘it’s’\u00a0— x',
      'é',
      '+',
      '- item',
      '@@',
      '*** x',
      '   ',
    ),
  },
);
const lines = fc.array(line, { minLength: 1, maxLength: 14 });

/** One change: where (of the lines that are left), how many go, and what comes. */
const change = fc.record({
  at: fc.nat(),
  gone: fc.integer({ min: 0, max: 2 }),
  come: fc.array(line, { maxLength: 2 }),
});

/** How the writer of a patch misremembers a line of the file. */
const slip = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => `${text} `,
  (text) => text.trimEnd(),
  (text) => text.trim(),
  (text) => `  ${text}`,
  (text) => text.replaceAll('“', '"').replaceAll('”', '"').replaceAll('–', '-'),
  (text) => text.replaceAll(' ', '\u00a0'),
  (text) => text.replaceAll('\t', '    '),
);

const anyUpdate = fc.record({
  lines,
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  context: fc.integer({ min: 0, max: 3 }),
  slips: fc.option(fc.array(slip, { maxLength: 12 }), { freq: 3 }),
  head: fc.constantFrom<'none' | 'line' | 'earlier' | 'wrong'>(
    'none',
    'none',
    'none',
    'line',
    'line',
    'earlier',
    'wrong',
  ),
  /** Which of the lines above a hunk stands in its head. */
  headAt: fc.nat(),
  withoutFirstHead: fc.constantFrom(false, false, false, true),
  endMark: fc.constantFrom(false, false, true),
  /** The end mark also where the file goes on. */
  endMarkAnywhere: fc.constantFrom(...Array.from({ length: 9 }, () => false), true),
  lineEnd: fc.constantFrom('\n', '\n', '\n', '\r\n'),
  lastEnd: fc.constantFrom(true, true, true, false),
  mark: fc.constantFrom('', '', '', '', '', '\ufeff'),
  moveTo: fc.constantFrom<(string | undefined)[]>(
    undefined,
    undefined,
    undefined,
    undefined,
    'moved.txt',
    'new/moved.txt',
    'other.txt',
  ),
});
type Update = typeof anyUpdate extends fc.Arbitrary<infer T> ? T : never;

/** A single line without an end does not show how lines end. */
const update = anyUpdate.map((one): Update => (one.lines.length > 1 || one.lastEnd ? one : { ...one, lineEnd: '\n' }));

interface Hunk {
  readonly start: number;
  readonly before: readonly string[];
  readonly rows: readonly string[];
}

/** The hunks of an update with the lines around, and the lines that they leave. */
function hunksOf({ lines: old, changes, context: wanted, slips }: Update): { hunks: Hunk[]; after: string[] } {
  // Added lines alone go to the end of the file, wherever they were meant to go.
  const context = changes.length > 1 ? Math.max(1, wanted) : wanted;
  const after: string[] = [];
  const hunks: Hunk[] = [];
  let done = 0;
  let slipAt = 0;
  const misremembered = (text: string): string => slips?.[slipAt++]?.(text) ?? text;
  for (const { at, gone, come } of changes) {
    if (done >= old.length) break;
    const start = done + (at % (old.length - done));
    const end = Math.min(old.length, start + gone);
    if (start === end && come.length === 0) continue;
    const first = Math.max(done, start - context);
    const last = Math.min(old.length, end + context);
    after.push(...old.slice(done, start), ...come, ...old.slice(end, last));
    hunks.push({
      start: first,
      before: old.slice(first, last),
      rows: [
        ...old.slice(first, start).map((text) => ` ${misremembered(text)}`),
        ...old.slice(start, end).map((text) => `-${misremembered(text)}`),
        ...come.map((text) => `+${text}`),
        ...old.slice(end, last).map((text) => ` ${misremembered(text)}`),
      ],
    });
    done = last;
  }
  after.push(...old.slice(done));
  const [first] = hunks;
  // There is only this one, and it names no place: then it is the end for Codex.
  if (first?.before.length === 0) return { hunks, after: [...old, ...first.rows.map((row) => row.slice(1))] };
  return { hunks, after };
}

function updateOf(path: string, chosen: Update): { before: Files; meant: Files; rows: string[] } {
  const {
    lines: old,
    head,
    headAt,
    withoutFirstHead,
    endMark,
    endMarkAnywhere,
    lineEnd,
    lastEnd,
    mark,
    moveTo,
  } = chosen;
  const { hunks, after } = hunksOf(chosen);
  const joined = (texts: readonly string[], isClosed: boolean): string =>
    mark + texts.join(lineEnd) + (isClosed && texts.length > 0 ? lineEnd : '');
  const before: Record<string, string> = { [path]: joined(old, lastEnd || old.at(-1) === '') };
  if (moveTo === 'other.txt') before[moveTo] = 'in the way\n';
  const { [path]: _moved, ...rest } = before;
  const headOf = ({ start }: Hunk): string => {
    if (head === 'none' || start === 0) return '@@';
    const above = { line: old[start - 1] ?? '', earlier: old[headAt % start] ?? '', wrong: 'nowhere to be seen' }[head];
    return `@@ ${above}`.trimEnd();
  };
  const rows = hunks.flatMap((hunk, index) => {
    const isLast = index === hunks.length - 1 && hunk.start + hunk.before.length === old.length;
    const heads = withoutFirstHead && index === 0 ? [] : [headOf(hunk)];
    return [...heads, ...hunk.rows, ...((endMark && isLast) || endMarkAnywhere ? ['*** End of File'] : [])];
  });
  return {
    before,
    // Codex closes the last line of what it updates; a file that only moves stays as it is.
    meant: { ...rest, [moveTo ?? path]: hunks.length > 0 ? joined(after, true) : (before[path] ?? '') },
    rows: [`*** Update File: ${path}`, ...(moveTo === undefined ? [] : [`*** Move to: ${moveTo}`]), ...rows],
  };
}

interface Part {
  readonly before: Files;
  readonly meant: Files | undefined;
  readonly rows: readonly string[];
}

const section = fc.oneof(
  {
    weight: 12,
    arbitrary: update.map(
      (chosen) =>
        (path: string): Part =>
          updateOf(path, chosen),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(line, { maxLength: 4 }), fc.boolean())
      .map(([texts, isThere]) => (path: string): Part => ({
        before: isThere ? { [path]: 'old\n' } : {},
        meant: { [path]: texts.map((text) => `${text}\n`).join('') },
        rows: [`*** Add File: ${path}`, ...texts.map((text) => `+${text}`)],
      })),
  },
  {
    weight: 1,
    arbitrary: fc.constant((path: string): Part => ({
      before: { [path]: 'gone\n' },
      meant: {},
      rows: [`*** Delete File: ${path}`],
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant((path: string): Part => ({
      before: { [path]: 'stays\n' },
      meant: { [`to/${path}`]: 'stays\n' },
      rows: [`*** Update File: ${path}`, `*** Move to: to/${path}`],
    })),
  },
  {
    weight: 1,
    // The second section speaks about what the first one leaves, or about what was there before it.
    arbitrary: fc
      .tuple(update, fc.constantFrom('add', 'delete', 'update'))
      .map(([chosen, then]) => (path: string): Part => {
        const { before, meant, rows } = updateOf(path, { ...chosen, moveTo: undefined });
        const again = {
          add: { rows: [`*** Add File: ${path}`, '+again'], meant: { [path]: 'again\n' } },
          delete: { rows: [`*** Delete File: ${path}`], meant: {} },
          update: {
            rows: [`*** Update File: ${path}`, '@@', '+at the end'],
            // An empty file does not show how lines end.
            meant: { [path]: `${meant[path]}at the end${meant[path] ? chosen.lineEnd : '\n'}` },
          },
        }[then];
        return { before, meant: again?.meant, rows: [...rows, ...(again?.rows ?? [])] };
      }),
  },
  {
    weight: 1,
    // What makes no sense: files that are not there, folders, hunks without lines, rows without a sign.
    arbitrary: fc
      .constantFrom<(path: string) => string[]>(
        (path) => [`*** Delete File: ${path}`],
        (path) => [`*** Update File: ${path}`, '@@', '-a', '+b'],
        (path) => [`*** Update File: ${path}`],
        (path) => [`*** Update File: ${path}`, '@@'],
        (path) => [`*** Update File: ${path}`, '@@', '*** End of File'],
        (path) => [`*** Update File: ${path}`, '@@', 'no sign'],
        (path) => [`*** Add File: ${path}`, 'no sign'],
        (path) => [`*** Change File: ${path}`, '+x'],
        (path) => [`*** Delete File: ${path}`, '+x'],
        () => ['*** Delete File: folder'],
        () => ['*** Update File: folder', '@@', '+x'],
      )
      .map((rowsOf) => (path: string): Part => ({
        before: { 'folder/a': 'a\n' },
        meant: undefined,
        rows: rowsOf(path),
      })),
  },
);

/** What writers do to an envelope without meaning anything by it. */
const dressing = fc.constantFrom<(rows: readonly string[]) => string>(
  ...Array.from({ length: 8 }, () => (rows: readonly string[]) => `${rows.join('\n')}\n`),
  (rows) => rows.join('\n'),
  (rows) => `${rows.join('\r\n')}\r\n`,
  (rows) => `\n\n${rows.join('\n')}\n\n`,
  (rows) => `<<'EOF'\n${rows.join('\n')}\nEOF\n`,
  (rows) => `<<EOF\n${rows.join('\n')}\nEOF`,
  (rows) => ` ${rows.join('\n')} \n`,
  (rows) => rows.map((row) => (/^\*\*\* (?:Add|Update|Delete) File: /.test(row) ? `${row}  ` : row)).join('\n'),
  (rows) =>
    rows
      .map((row) => (/^\*\*\* (?:Add|Update|Delete|Begin|End) (?:File: |Patch)/.test(row) ? `  ${row}` : row))
      .join('\n'),
  (rows) => rows.map((row) => (row === ' ' ? '' : row)).join('\n'),
  (rows) => rows.map((row) => (/^\*\*\* (?:Update|Delete|End Patch)/.test(row) ? `\n${row}` : row)).join('\n'),
  (rows) => rows.map((row) => (row.startsWith('@@') ? `\n${row}` : row)).join('\n'),
);

/** A patch of one to three files. */
export const patchWorld: fc.Arbitrary<PatchWorld> = fc
  .tuple(
    fc.array(section, { minLength: 1, maxLength: 3 }),
    dressing,
    fc.constantFrom(['one.txt', 'two.txt', 'deep/three.txt'], ['with blank.txt', 'é/ü.txt', 'a+b@@.txt']),
  )
  .map(([sections, dress, names]) => {
    const parts = sections.map((make, index) => make(names[index] ?? ''));
    return {
      before: Object.assign({}, ...parts.map(({ before }) => before)),
      meant: parts.every(({ meant }) => meant) ? Object.assign({}, ...parts.map(({ meant }) => meant)) : undefined,
      patch: dress(['*** Begin Patch', ...parts.flatMap(({ rows }) => rows), '*** End Patch']),
    };
  });
