//! Operations on named lines to new bytes.
//!
//! All anchors are checked before a byte is written. All operations speak about the same file, the one that was
//! read; whether they are applied from the bottom up or, as here, woven into one forward pass over the unchanged
//! spans, the line numbers never shift underneath them.
//!
//! With a snapshot (the bytes that the editor read) the check is much stronger than two letters can be: if the file
//! differs from it, every operation whose anchors fit the snapshot must be *located* in the file ([`crate::locate`]),
//! even when the letters happen to fit. An operation whose anchors do not fit the snapshot may have been made from a
//! newer view, so it is checked against the file itself.

use std::ops::Range;

use crate::anchor::{is_telling, line_code, trim_end};
use crate::locate::{Locator, Unproven};
use crate::patch::{Anchor, Op, OpKind, Place, Section};
use crate::report::{Stale, stale_message};
use crate::text::{Line, Text};

/// A part of the new content: bytes of the old content, or bytes of [`Applied::inserted`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Kept(Range<usize>),
    Inserted(Range<usize>),
}

/// The new content, as pieces of the old one and of the inserted text, and what there is to say about it.
///
/// Most of a large file is unchanged, and copying it would cost far more than the edit: a writer can write the pieces
/// one after another, a preview needs only the inserted ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub pieces: Vec<Piece>,
    pub inserted: Vec<u8>,
    pub warnings: Vec<String>,
    /// The first edited line in the new content, from 1.
    pub first_changed_line: usize,
    pub lines_added: usize,
    pub lines_removed: usize,
    /// True when the file had changed since it was read and the edit was placed by proof.
    pub recovered: bool,
}

impl Applied {
    /// The new content in one piece; `content` is what the section was applied to.
    pub fn assemble(&self, content: &[u8]) -> Vec<u8> {
        assemble(&self.pieces, &self.inserted, content)
    }
}

fn assemble(pieces: &[Piece], inserted: &[u8], content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pieces.iter().map(|piece| piece.range().len()).sum());
    for piece in pieces {
        let source = if matches!(piece, Piece::Kept(_)) { content } else { inserted };
        out.extend_from_slice(source.get(piece.range()).unwrap_or_default());
    }
    out
}

impl Piece {
    fn range(&self) -> Range<usize> {
        let (Piece::Kept(range) | Piece::Inserted(range)) = self;
        range.clone()
    }
}

/// The kinds of refusal, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    /// An anchor does not fit the file.
    Stale,
    /// Two operations claim the same lines.
    Overlap,
    /// The result would be the same file.
    NoChange,
}

/// Why nothing was changed; the message says what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: RefusalCode,
    pub message: String,
    pub stale: Vec<Stale>,
}

/// An operation's lines in the current file: `start..end`, empty for inserts.
struct Edit<'s> {
    op: &'s Op,
    start: usize,
    end: usize,
    located: bool,
}

/// Applies a section's operations to `content`; `snapshot` is what the editor read, if it is still known.
pub fn apply(content: &[u8], section: &Section, snapshot: Option<&[u8]>) -> Result<Applied, Refusal> {
    check_overlaps(section.ops.iter().map(|op| (op, named_lines(op))).collect())?;
    let text = Text::new(content);
    let mut edits = resolve(&text, section, snapshot.filter(|&snapshot| snapshot != content))?;
    let recovered = edits.iter().any(|edit| edit.located);
    let mut warnings = Vec::new();
    if recovered {
        warnings.push(format!(
            "{} changed since it was read; the edit was placed by the unchanged lines around it.",
            section.path
        ));
    }
    for edit in &edits {
        warn_of_doubled_lines(&mut warnings, &text, section, edit);
    }
    // Inserts come before a range that starts at the same line; otherwise the patch's own order stands.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let (pieces, inserted) = weave(&text, section, &edits);
    // Equal length is a cheap sign that the contents may be equal; only then are they compared.
    let length: usize = pieces.iter().map(|piece| piece.range().len()).sum();
    if length == content.len() && assemble(&pieces, &inserted, content) == content {
        return Err(refuse(RefusalCode::NoChange, format!("The edits to {} change nothing.", section.path)));
    }
    Ok(Applied {
        pieces,
        inserted,
        warnings,
        first_changed_line: edits.first().map_or(0, |edit| edit.start) + 1,
        lines_added: edits.iter().map(|edit| memchr::memchr_iter(b'\n', payload(section, edit.op)).count()).sum(),
        lines_removed: edits.iter().map(|edit| edit.end - edit.start).sum(),
        recovered,
    })
}

fn refuse(code: RefusalCode, message: String) -> Refusal {
    Refusal { code, message, stale: Vec::new() }
}

/// An operation's payload lines, each ended by `\n`; a section made by hand that breaks this rule has none.
fn payload<'s>(section: &'s Section, op: &Op) -> &'s [u8] {
    section.payload.get(op.payload.clone()).filter(|payload| payload.ends_with(b"\n")).unwrap_or_default()
}

/// The lines that an operation names, as indexes into the file it was made for; empty for inserts.
fn named_lines(op: &Op) -> Range<usize> {
    let Place::At(anchor) = op.start else {
        let edge = if op.start == Place::Bof { 0 } else { usize::MAX };
        return edge..edge;
    };
    let first = (anchor.line as usize).saturating_sub(1);
    match (op.kind, op.end) {
        (OpKind::InsertAfter, _) => first + 1..first + 1,
        (OpKind::InsertBefore, _) => first..first,
        (_, Some(end)) => first..(end.line as usize).max(first + 1),
        (_, None) => first..first + 1,
    }
}

fn check_overlaps(mut claims: Vec<(&Op, Range<usize>)>) -> Result<(), Refusal> {
    claims.sort_by_key(|(_, lines)| (lines.start, lines.end));
    let mut widest: Option<(&Op, Range<usize>)> = None;
    for (op, lines) in claims {
        if let Some((other, claimed)) = &widest
            && lines.start < claimed.end
            && lines.end > claimed.start
        {
            let (first, second) = if other.patch_line <= op.patch_line { (*other, op) } else { (op, *other) };
            return Err(refuse(
                RefusalCode::Overlap,
                format!(
                    "The operations in lines {} and {} of the patch overlap, so nothing was changed. Join them into one operation.",
                    first.patch_line, second.patch_line
                ),
            ));
        }
        if widest.as_ref().is_none_or(|(_, claimed)| lines.end > claimed.end) && !lines.is_empty() {
            widest = Some((op, lines));
        }
    }
    Ok(())
}

fn anchors_of(op: &Op) -> impl Iterator<Item = Anchor> {
    let start = if let Place::At(anchor) = op.start { Some(anchor) } else { None };
    start.into_iter().chain(op.end.filter(|end| Some(*end) != start))
}

fn fits(text: &Text<'_>, anchor: Anchor) -> bool {
    let line = (anchor.line as usize).checked_sub(1).and_then(|index| text.line(index));
    line.is_some_and(|line| line_code(line.text, anchor.line) == anchor.code)
}

fn resolve<'s>(text: &Text<'_>, section: &'s Section, snapshot: Option<&[u8]>) -> Result<Vec<Edit<'s>>, Refusal> {
    let base = snapshot.map(Text::new);
    let mut locator = base.as_ref().map(|base| Locator::new(base, text));
    let mut edits = Vec::with_capacity(section.ops.len());
    let mut stale = Vec::new();
    let mut reasons = Vec::new();
    let mut last_located: Option<(usize, usize)> = None;
    // Base order, so that located edits can be checked to have kept it.
    let mut ops: Vec<&Op> = section.ops.iter().collect();
    ops.sort_by_key(|op| (named_lines(op).start, named_lines(op).end));
    for op in ops {
        let lines = named_lines(op);
        let count = text.count();
        if anchors_of(op).next().is_none() {
            let edge = lines.start.min(count);
            edits.push(Edit { op, start: edge, end: edge, located: false });
            continue;
        }
        let from_snapshot = base.as_ref().is_some_and(|base| anchors_of(op).all(|anchor| fits(base, anchor)));
        match locator.as_mut().filter(|_| from_snapshot) {
            Some(locator) => {
                let found = locator.locate(lines.start, lines.end).and_then(|start| {
                    let end = start + lines.len();
                    let kept_order = last_located.is_none_or(|(_, last)| start >= last);
                    if kept_order { Ok((start, end)) } else { Err(Unproven::Changed) }
                });
                match found {
                    Ok((start, end)) => {
                        last_located = Some((start, end));
                        edits.push(Edit { op, start, end, located: true });
                    }
                    Err(why) => {
                        reasons.push(unproven_reason(op, why));
                        stale.extend(anchors_of(op).map(|anchor| Stale::new(op.patch_line, anchor, text)));
                    }
                }
            }
            None => {
                let unfit = anchors_of(op).filter(|&anchor| !fits(text, anchor));
                stale.extend(unfit.map(|anchor| Stale::new(op.patch_line, anchor, text)));
                edits.push(Edit { op, start: lines.start, end: lines.end, located: false });
            }
        }
    }
    if !stale.is_empty() {
        let anchors = section.ops.iter().map(|op| anchors_of(op).count()).sum();
        let message = stale_message(&section.path, text, &stale, anchors, &reasons);
        return Err(Refusal { code: RefusalCode::Stale, message, stale });
    }
    edits.sort_by_key(|edit| edit.op.patch_line);
    // Located and directly named lines can meet only here, where both are lines of the current file.
    check_overlaps(edits.iter().map(|edit| (edit.op, edit.start..edit.end)).collect())?;
    Ok(edits)
}

fn unproven_reason(op: &Op, why: Unproven) -> String {
    let why = match why {
        Unproven::Changed => "the lines it names, or the lines next to them, have changed",
        Unproven::Repeated => "the same lines stand there more than once",
    };
    format!(
        "The file changed since it was read, and the operation in line {} of the patch cannot be placed with certainty: {why}.",
        op.patch_line
    )
}

/// A payload that repeats the line just outside its range is most often a slip; it is written as asked, but said.
fn warn_of_doubled_lines(warnings: &mut Vec<String>, text: &Text<'_>, section: &Section, edit: &Edit<'_>) {
    let Some(lines) = payload(section, edit.op).strip_suffix(b"\n") else { return };
    let first = lines.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let last = lines.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut check = |line: &[u8], outside: Option<usize>, which: &str| {
        let Some(index) = outside else { return };
        let there = text.line(index).map(|there| trim_end(there.text));
        if is_telling(trim_end(line)) && there == Some(trim_end(line)) {
            warnings.push(format!(
                "The {which} payload line of the operation in line {} of the patch repeats line {}, which stays next to it: check that it is not doubled.",
                edit.op.patch_line,
                index + 1
            ));
        }
    };
    check(first, edit.start.checked_sub(1), "first");
    check(last, Some(edit.end), "last");
}

/// Lays out the unchanged spans and the payloads in order.
fn weave(text: &Text<'_>, section: &Section, edits: &[Edit<'_>]) -> (Vec<Piece>, Vec<u8>) {
    let count = text.count();
    let body = text.body();
    let bom = text.bom().len();
    let open_end = body.last().is_some_and(|&last| last != b'\n');
    let mut pieces = vec![Piece::Kept(0..bom)];
    let mut inserted = Vec::with_capacity(section.payload.len() + edits.len());
    let mut copied = 0;
    // The last line laid out, which loses its ending again if the file had none at its end.
    let mut last = Line { text: b"", ending: b"" };
    for edit in edits {
        if edit.start > copied {
            pieces.push(Piece::Kept(bom + text.start(copied)..bom + text.start(edit.start)));
            last = text.line(edit.start - 1).unwrap_or(last);
        }
        copied = copied.max(edit.end);
        let Some(lines) = payload(section, edit.op).strip_suffix(b"\n") else { continue };
        let from = inserted.len();
        if edit.start == count && last.ending.is_empty() && !last.text.is_empty() {
            inserted.extend_from_slice(text.ending_near(count.saturating_sub(1)));
        }
        let (ending, closing) = endings(text, edit);
        let mut lines = lines.split(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            last = Line { text: line, ending: if lines.peek().is_some() { ending } else { closing } };
            inserted.extend_from_slice(last.text);
            inserted.extend_from_slice(last.ending);
        }
        pieces.push(Piece::Inserted(from..inserted.len()));
    }
    if copied < count {
        pieces.push(Piece::Kept(bom + text.start(copied)..bom + body.len()));
    } else if open_end
        && !last.text.is_empty()
        && let Some(Piece::Kept(range) | Piece::Inserted(range)) = pieces.last_mut()
    {
        // An empty last line exists only through its ending; any other gives it up.
        range.end -= last.ending.len();
    }
    (pieces, inserted)
}

/// The endings for a payload's lines and for its last one, taken from the lines it stands next to or replaces.
fn endings<'a>(text: &Text<'a>, edit: &Edit<'_>) -> (&'a [u8], &'a [u8]) {
    if edit.start < edit.end {
        return (text.ending_near(edit.start), text.ending_near(edit.end - 1));
    }
    let after = matches!(edit.op.kind, OpKind::InsertAfter) && !matches!(edit.op.start, Place::Bof);
    let near = if after || edit.start == text.count() { edit.start.saturating_sub(1) } else { edit.start };
    let ending = text.ending_near(near);
    (ending, ending)
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
