import type { Addon } from '../addon.ts';
import { callNativeSync } from '../task.ts';
import { AppliedEdit } from './applied-edit.ts';
import type { HashlineAddon, RawOp, RawOutcome, RawSection } from './addon.ts';
import type { Anchor, ApplyResult, Hashline, Op, OpKind, RefusalCode, Section } from './contract.ts';
import { anchorOf, brokenString, patchBytes } from './patch-bytes.ts';

/** More lines than a file can have: stands for "to the end" on the Rust side. */
const LAST_LINE = 0xffff_ffff;

/** The hashline accelerator served by the addon. */
export function fromAddon(addon: Pick<Addon, keyof HashlineAddon>): Hashline {
  return {
    hashLines: (content) => callNativeSync(() => addon.hashlineHash(content)),
    anchor: anchorOf,
    format: (content, { first = 1, last = LAST_LINE } = {}) =>
      callNativeSync(() => addon.hashlineFormat(content, lineNumber(first), lineNumber(last))),
    parse(patch, options = {}) {
      const bytes = patchBytes(patch);
      if (!bytes) return brokenString(String(patch));
      const raw = callNativeSync(() => addon.hashlineParse(bytes, options.path));
      if (raw.error !== undefined) return { ok: false, message: raw.error, line: raw.errorLine };
      return { ok: true, sections: raw.sections.map(toSection), warnings: raw.warnings };
    },
    apply: (content, section, options = {}) =>
      toResult(
        content,
        callNativeSync(() => addon.hashlineApply(content, fromSection(section), options.snapshot)),
      ),
  };
}

/** As a u32: a number out of range would arrive as another one. */
function lineNumber(line: number): number {
  return Math.min(Math.max(Math.trunc(line), 0), LAST_LINE);
}

function toSection({ path, ops, payload }: RawSection): Section {
  return { path, ops: ops.map(toOp), payload };
}

function toOp(raw: RawOp): Op {
  const start: Op['start'] =
    raw.edge === 'BOF' || raw.edge === 'EOF' ? raw.edge : { line: raw.startLine, code: raw.startCode };
  const end: { end?: Anchor } = raw.endLine > 0 ? { end: { line: raw.endLine, code: raw.endCode } } : {};
  const { patchLine, payloadStart, payloadEnd } = raw;
  return { kind: raw.kind as OpKind, patchLine, start, ...end, payloadStart, payloadEnd };
}

function fromSection({ path, ops, payload }: Section): RawSection {
  return { path, ops: ops.map(fromOp), payload };
}

function fromOp({ kind, patchLine, start, end, payloadStart, payloadEnd }: Op): RawOp {
  const raw: RawOp = {
    kind,
    patchLine,
    startLine: 0,
    startCode: 0,
    endLine: end?.line ?? 0,
    endCode: end?.code ?? 0,
    payloadStart,
    payloadEnd,
  };
  if (typeof start === 'string') raw.edge = start;
  else [raw.startLine, raw.startCode] = [start.line, start.code];
  return raw;
}

function toResult(content: Uint8Array, raw: RawOutcome): ApplyResult {
  const { pieces: table, inserted } = raw;
  if (table && inserted) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at + 2 < table.length; at += 3) {
      pieces.push((table[at] === 0 ? content : inserted).subarray(table[at + 1], table[at + 2]));
    }
    return new AppliedEdit(pieces, raw);
  }
  const stale = raw.stale.map(({ patchLine, line, code, now }) => ({
    patchLine,
    anchor: { line, code },
    ...(now === undefined || now === null ? {} : { now }),
  }));
  return { ok: false, code: raw.code as RefusalCode, message: raw.message ?? '', stale };
}
