//! Bindings of `tenon-hashline`.
//!
//! All of them are synchronous: each is a few passes over memory (a gigabyte or more per second), which a hop to
//! another thread would make slower for every file of usual size.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_hashline::{self as hashline, Anchor, Op, OpKind, Piece, Place, RefusalCode, Section};

use crate::task::{failure, guard};

/// One operation; lines count from 1, and 0 stands for "before the first" (BOF) or, with `eof`, "after the last".
#[napi(object)]
pub struct HashlineOp {
    pub kind: String,
    pub patch_line: u32,
    pub edge: Option<String>,
    pub start_line: u32,
    pub start_code: u32,
    pub end_line: u32,
    pub end_code: u32,
    pub payload_start: u32,
    pub payload_end: u32,
}

/// All operations for one file.
#[napi(object)]
pub struct HashlineSection {
    pub path: String,
    pub ops: Vec<HashlineOp>,
    pub payload: Uint8Array,
}

/// A patch, or why it cannot be understood.
#[napi(object)]
pub struct HashlinePatch {
    pub sections: Vec<HashlineSection>,
    pub warnings: Vec<String>,
    pub error: Option<String>,
    pub error_line: u32,
}

/// An anchor that does not fit.
#[napi(object)]
pub struct HashlineStale {
    pub patch_line: u32,
    pub line: u32,
    pub code: u32,
    pub now: Option<u32>,
}

/// The new content, or the refusal.
#[napi(object)]
pub struct HashlineOutcome {
    /// Three numbers per piece: 0 (kept) or 1 (inserted), start, end. One list converts quicker than many objects.
    pub pieces: Option<Float64Array>,
    pub inserted: Option<Uint8Array>,
    pub warnings: Vec<String>,
    pub first_changed_line: u32,
    pub lines_added: u32,
    pub lines_removed: u32,
    pub recovered: bool,
    pub code: Option<String>,
    pub message: Option<String>,
    pub stale: Vec<HashlineStale>,
}

/// The anchor codes of all lines.
#[napi]
pub fn hashline_hash(content: &[u8]) -> Result<Uint16Array> {
    guard("hashlineHash", || Ok(Uint16Array::new(hashline::hash_lines(content))))
}

/// The lines `first..=last` with their anchors.
#[napi]
pub fn hashline_format(content: &[u8], first: u32, last: u32) -> Result<Buffer> {
    guard("hashlineFormat", || Ok(hashline::format_lines(content, first as usize, last as usize).into()))
}

/// Reads a patch.
#[napi]
pub fn hashline_parse(patch: &[u8], fallback_path: Option<String>) -> Result<HashlinePatch> {
    guard("hashlineParse", || {
        Ok(match hashline::parse(patch, fallback_path.as_deref()) {
            Ok(patch) => HashlinePatch {
                sections: patch.sections.into_iter().map(section_out).collect(),
                warnings: patch.warnings,
                error: None,
                error_line: 0,
            },
            Err(error) => HashlinePatch {
                sections: Vec::new(),
                warnings: Vec::new(),
                error: Some(error.message),
                error_line: error.line,
            },
        })
    })
}

/// Applies one section.
#[napi]
pub fn hashline_apply(content: &[u8], section: HashlineSection, snapshot: Option<&[u8]>) -> Result<HashlineOutcome> {
    guard("hashlineApply", || {
        let section = section_in(section)?;
        Ok(match hashline::apply(content, &section, snapshot) {
            Ok(applied) => HashlineOutcome {
                pieces: Some(Float64Array::new(applied.pieces.iter().flat_map(piece_out).collect())),
                inserted: Some(Uint8Array::new(applied.inserted)),
                warnings: applied.warnings,
                first_changed_line: applied.first_changed_line as u32,
                lines_added: applied.lines_added as u32,
                lines_removed: applied.lines_removed as u32,
                recovered: applied.recovered,
                code: None,
                message: None,
                stale: Vec::new(),
            },
            Err(refusal) => HashlineOutcome {
                pieces: None,
                inserted: None,
                warnings: Vec::new(),
                first_changed_line: 0,
                lines_added: 0,
                lines_removed: 0,
                recovered: false,
                code: Some(refusal_code(refusal.code).to_owned()),
                message: Some(refusal.message),
                stale: refusal.stale.iter().map(stale_out).collect(),
            },
        })
    })
}

fn refusal_code(code: RefusalCode) -> &'static str {
    match code {
        RefusalCode::Stale => "stale",
        RefusalCode::Overlap => "overlap",
        RefusalCode::NoChange => "no-change",
    }
}

fn piece_out(piece: &Piece) -> [f64; 3] {
    let (kind, range) = match piece {
        Piece::Kept(range) => (0.0, range),
        Piece::Inserted(range) => (1.0, range),
    };
    [kind, range.start as f64, range.end as f64]
}

fn stale_out(stale: &hashline::Stale) -> HashlineStale {
    HashlineStale {
        patch_line: stale.patch_line,
        line: stale.anchor.line,
        code: u32::from(stale.anchor.code),
        now: stale.now.map(u32::from),
    }
}

fn section_out(section: Section) -> HashlineSection {
    let ops = section.ops.iter().map(op_out).collect();
    HashlineSection { path: section.path, ops, payload: Uint8Array::new(section.payload) }
}

fn op_out(op: &Op) -> HashlineOp {
    let kind = match op.kind {
        OpKind::InsertAfter => "insert-after",
        OpKind::InsertBefore => "insert-before",
        OpKind::Delete => "delete",
        OpKind::Replace => "replace",
    };
    let (edge, start) = match op.start {
        Place::Bof => (Some("BOF".to_owned()), None),
        Place::Eof => (Some("EOF".to_owned()), None),
        Place::At(anchor) => (None, Some(anchor)),
    };
    HashlineOp {
        kind: kind.to_owned(),
        patch_line: op.patch_line,
        edge,
        start_line: start.map_or(0, |anchor| anchor.line),
        start_code: start.map_or(0, |anchor| u32::from(anchor.code)),
        end_line: op.end.map_or(0, |anchor| anchor.line),
        end_code: op.end.map_or(0, |anchor| u32::from(anchor.code)),
        payload_start: op.payload.start as u32,
        payload_end: op.payload.end as u32,
    }
}

fn section_in(section: HashlineSection) -> Result<Section> {
    let ops = section.ops.into_iter().map(op_in).collect::<Result<Vec<Op>>>()?;
    Ok(Section { path: section.path, ops, payload: section.payload.to_vec() })
}

fn op_in(op: HashlineOp) -> Result<Op> {
    let kind = match op.kind.as_str() {
        "insert-after" => OpKind::InsertAfter,
        "insert-before" => OpKind::InsertBefore,
        "delete" => OpKind::Delete,
        "replace" => OpKind::Replace,
        other => return Err(failure(format!("there is no hashline operation of kind \"{other}\""))),
    };
    let start = match op.edge.as_deref() {
        Some("BOF") => Place::Bof,
        Some("EOF") => Place::Eof,
        Some(other) => return Err(failure(format!("there is no hashline place \"{other}\""))),
        None => Place::At(anchor_in(op.start_line, op.start_code)?),
    };
    let end = if op.end_line == 0 { None } else { Some(anchor_in(op.end_line, op.end_code)?) };
    let payload = op.payload_start as usize..op.payload_end as usize;
    Ok(Op { kind, patch_line: op.patch_line, start, end, payload })
}

fn anchor_in(line: u32, code: u32) -> Result<Anchor> {
    let code = u16::try_from(code).map_err(|_| failure(format!("{code} is not an anchor code")))?;
    Ok(Anchor { line, code })
}
