//! From the text that an editor sends to operations on named lines.
//!
//! ```text
//! @@ PATH          the file that the operations below are for
//! + ANCHOR         insert after the line       (ANCHOR is LINEhh, BOF or EOF)
//! < ANCHOR         insert before the line
//! - A..B           delete the lines A to B
//! = A..B           replace the lines A to B; without payload, by one empty line
//! ~TEXT            payload: one line of text for the operation above
//! ```
//! Blank lines are skipped, `*** Begin Patch` is too; `*** End Patch` ends the patch, `*** Abort` ends it with a
//! warning. Sections for the same path are joined, because all of them speak about the file as it was read.
//!
//! Errors are sentences for the one who wrote the patch (most often a model) and say what to write instead.

use std::fmt;
use std::ops::Range;

use crate::anchor::{code_of, letters_of};
use crate::report::excerpt;
use crate::text::split_bom;

/// What marks a payload line.
pub const PAYLOAD_MARK: u8 = b'~';
const SHOWN_BYTES: usize = 80;

/// A line by number (from 1) and the letters it was read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    pub line: u32,
    pub code: u16,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two] = letters_of(self.code);
        write!(f, "{}{}{}", self.line, char::from(one), char::from(two))
    }
}

/// Where an operation starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the first line.
    Bof,
    /// After the last line.
    Eof,
    At(Anchor),
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    InsertAfter,
    InsertBefore,
    Delete,
    Replace,
}

/// One operation; `payload` is its part of [`Section::payload`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// The line of the patch that has the operation, for messages.
    pub patch_line: u32,
    pub start: Place,
    /// The last line of a range; nothing for inserts.
    pub end: Option<Anchor>,
    pub payload: Range<usize>,
}

/// All operations for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    pub path: String,
    pub ops: Vec<Op>,
    /// The payload lines of all operations, each ended by `\n`.
    pub payload: Vec<u8>,
}

/// A whole patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    pub sections: Vec<Section>,
    pub warnings: Vec<String>,
}

/// Why a patch cannot be understood; `line` counts from 1 and is 0 when no single line is to blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    pub line: u32,
    pub message: String,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PatchError {}

/// Reads a patch. `fallback_path` names the file for a patch that starts with an operation instead of a header.
pub fn parse(input: &[u8], fallback_path: Option<&str>) -> Result<Patch, PatchError> {
    let mut reader = Reader { patch: Patch::default(), current: None, open_op: None, header_line: 0 };
    let (_, input) = split_bom(input);
    let mut ended = false;
    for (line, number) in input.split(|&byte| byte == b'\n').zip(1u32..) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let bare = line.trim_ascii();
        if ended {
            if !bare.is_empty() {
                reader.patch.warnings.push(format!("line {number}: the text after \"*** End Patch\" was ignored."));
                break;
            }
        } else if line.first() == Some(&PAYLOAD_MARK) {
            reader.payload(number, line, fallback_path)?;
        } else if bare.is_empty() || bare == b"*** Begin Patch" {
            continue;
        } else if bare == b"*** End Patch" {
            ended = true;
        } else if bare == b"*** Abort" {
            reader.patch.warnings.push(format!(
                "line {number}: the patch was cut short by \"*** Abort\"; only the operations before it count."
            ));
            break;
        } else if bare.first() == Some(&b'@') {
            reader.header(number, bare)?;
        } else {
            reader.operation(number, bare, fallback_path)?;
        }
    }
    reader.finish()
}

struct Reader {
    patch: Patch,
    /// The section that operations go to.
    current: Option<usize>,
    /// Where the open operation is: payload lines belong to it.
    open_op: Option<usize>,
    header_line: u32,
}

impl Reader {
    fn header(&mut self, line: u32, text: &[u8]) -> Result<(), PatchError> {
        self.close_section()?;
        let at = text.iter().position(|&byte| byte != b'@').unwrap_or(text.len());
        let path = text.get(at..).unwrap_or_default().trim_ascii();
        if path.is_empty() {
            return Err(at_line(line, "the header names no file. Write \"@@ PATH\"."));
        }
        let Ok(path) = std::str::from_utf8(path) else {
            return Err(at_line(line, "the path is not valid UTF-8."));
        };
        self.open_section(path, line);
        Ok(())
    }

    fn open_section(&mut self, path: &str, line: u32) {
        let known = self.patch.sections.iter().position(|section| section.path == path);
        self.current = Some(known.unwrap_or_else(|| {
            self.patch.sections.push(Section { path: path.to_owned(), ..Section::default() });
            self.patch.sections.len() - 1
        }));
        self.header_line = line;
        self.open_op = None;
    }

    /// The section that operations go to; the fallback path opens one for a patch without a header.
    fn section(&mut self, text: &[u8], fallback_path: Option<&str>) -> Result<&mut Section, PatchError> {
        if self.current.is_none()
            && let Some(path) = fallback_path
        {
            self.open_section(path, 0);
        }
        self.current.and_then(|index| self.patch.sections.get_mut(index)).ok_or_else(|| PatchError {
            line: 0,
            message: format!(
                "The patch must begin with \"@@ PATH\" on its first non-blank line; got \"{}\". Example: \"@@ src/foo.ts\", then the operations.",
                excerpt(text, SHOWN_BYTES)
            ),
        })
    }

    fn operation(&mut self, line: u32, text: &[u8], fallback_path: Option<&str>) -> Result<(), PatchError> {
        self.section(text, fallback_path)?;
        self.close_op()?;
        let (mark, rest) = text.split_at(1);
        let rest = rest.trim_ascii();
        let (kind, start, end) = match mark {
            b"+" => (OpKind::InsertAfter, place(line, rest)?, None),
            b"<" => (OpKind::InsertBefore, place(line, rest)?, None),
            b"-" | b"=" => {
                let (start, end) = range(line, rest)?;
                let kind = if mark == b"-" { OpKind::Delete } else { OpKind::Replace };
                (kind, Place::At(start), Some(end))
            }
            _ => {
                return Err(at_line(
                    line,
                    &format!(
                        "not an operation: \"{}\". Use \"+ ANCHOR\", \"< ANCHOR\", \"- A..B\" or \"= A..B\"; a line of text to write starts with \"~\".",
                        excerpt(text, SHOWN_BYTES)
                    ),
                ));
            }
        };
        let section = self.section(text, fallback_path)?;
        let from = section.payload.len();
        section.ops.push(Op { kind, patch_line: line, start, end, payload: from..from });
        let index = section.ops.len() - 1;
        self.open_op = Some(index);
        Ok(())
    }

    fn payload(&mut self, line: u32, text: &[u8], fallback_path: Option<&str>) -> Result<(), PatchError> {
        let open = self.open_op;
        let section = self.section(text, fallback_path)?;
        let op = open.and_then(|index| section.ops.get_mut(index)).filter(|op| op.kind != OpKind::Delete);
        let Some(op) = op else {
            return Err(at_line(line, "this payload line follows no +, < or = operation."));
        };
        section.payload.extend_from_slice(text.get(1..).unwrap_or_default());
        section.payload.push(b'\n');
        op.payload.end = section.payload.len();
        Ok(())
    }

    fn close_op(&mut self) -> Result<(), PatchError> {
        let section = self.current.and_then(|index| self.patch.sections.get_mut(index));
        let (Some(section), Some(index)) = (section, self.open_op.take()) else { return Ok(()) };
        let Some(op) = section.ops.get_mut(index) else { return Ok(()) };
        if !op.payload.is_empty() || op.kind == OpKind::Delete {
            return Ok(());
        }
        if op.kind != OpKind::Replace {
            return Err(at_line(op.patch_line, "+ and < need at least one payload line that starts with \"~\"."));
        }
        section.payload.push(b'\n');
        op.payload.end = section.payload.len();
        Ok(())
    }

    fn close_section(&mut self) -> Result<(), PatchError> {
        self.close_op()?;
        let section = self.current.and_then(|index| self.patch.sections.get(index));
        match section {
            Some(section) if section.ops.is_empty() => Err(at_line(
                self.header_line,
                &format!("the section for {} has no operations. Write at least one below its header.", section.path),
            )),
            _ => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Patch, PatchError> {
        self.close_section()?;
        if self.patch.sections.is_empty() {
            let message = "The patch is empty. Begin with \"@@ PATH\", then the operations.".to_owned();
            return Err(PatchError { line: 0, message });
        }
        Ok(self.patch)
    }
}

fn at_line(line: u32, message: &str) -> PatchError {
    PatchError { line, message: format!("line {line}: {message}") }
}

fn place(line: u32, text: &[u8]) -> Result<Place, PatchError> {
    match text {
        b"BOF" => Ok(Place::Bof),
        b"EOF" => Ok(Place::Eof),
        _ => anchor(line, text).map(Place::At),
    }
}

fn range(line: u32, text: &[u8]) -> Result<(Anchor, Anchor), PatchError> {
    let Some(dots) = text.windows(2).position(|pair| pair == b"..") else {
        return Err(at_line(
            line,
            "- and = need a range such as \"4fb..6qx\"; for a single line, repeat its anchor: \"4fb..4fb\".",
        ));
    };
    let (first, rest) = text.split_at(dots);
    let start = anchor(line, first.trim_ascii())?;
    let end = anchor(line, rest.get(2..).unwrap_or_default().trim_ascii())?;
    if end.line < start.line {
        return Err(at_line(line, &format!("the range {start}..{end} ends before it starts.")));
    }
    if end.line == start.line && end.code != start.code {
        return Err(at_line(line, &format!("the range {start}..{end} gives two different anchors for one line.")));
    }
    Ok((start, end))
}

fn anchor(line: u32, text: &[u8]) -> Result<Anchor, PatchError> {
    read_anchor(text).ok_or_else(|| {
        at_line(
            line,
            &format!(
                "expected an anchor such as \"119sr\" (a line number and two letters, as shown left of \"|\"); got \"{}\".",
                excerpt(text, SHOWN_BYTES)
            ),
        )
    })
}

fn read_anchor(text: &[u8]) -> Option<Anchor> {
    let (digits, letters) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let &[first, ..] = digits else { return None };
    // Nine digits are more lines than any file that fits in memory, and cannot overflow.
    if first == b'0' || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let line = digits.iter().fold(0u32, |sum, &digit| sum * 10 + u32::from(digit - b'0'));
    let &[one, two] = letters else { return None };
    Some(Anchor { line, code: code_of([one, two])? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(input: &str) -> Section {
        let mut patch = parse(input.as_bytes(), None).expect("the patch is well formed");
        assert_eq!(patch.sections.len(), 1);
        patch.sections.remove(0)
    }

    fn message(input: &str) -> String {
        parse(input.as_bytes(), None).expect_err("the patch is malformed").message
    }

    #[test]
    fn every_operation_is_read_with_its_payload() {
        let section = one("@@ src/a.ts\n+ 4fb\n~one\n~\n\n< EOF\n~x\n- 5aa..6bb\n= 7cc .. 7cc\n");
        assert_eq!(section.path, "src/a.ts");
        let kinds: Vec<OpKind> = section.ops.iter().map(|op| op.kind).collect();
        assert_eq!(kinds, [OpKind::InsertAfter, OpKind::InsertBefore, OpKind::Delete, OpKind::Replace]);
        let texts: Vec<&[u8]> = section.ops.iter().map(|op| &section.payload[op.payload.clone()]).collect();
        assert_eq!(texts, [&b"one\n\n"[..], b"x\n", b"", b"\n"]);
        assert_eq!(section.ops[1].start, Place::Eof);
    }

    #[test]
    fn sections_for_one_path_are_joined_and_lenient_headers_are_read() {
        let patch =
            parse(b"*** Begin Patch\n@a\n- 1aa..1aa\r\n@@@ b\n- 1aa..1aa\n@@ a\n+ BOF\n~x\n*** End Patch\n", None);
        let sections = patch.expect("well formed").sections;
        assert_eq!(sections.iter().map(|s| (s.path.as_str(), s.ops.len())).collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
    }

    #[test]
    fn an_abort_keeps_what_came_before_and_warns() {
        let patch = parse(b"@@ a\n- 1aa..1aa\n*** Abort\n- nonsense", None).expect("well formed");
        assert_eq!(patch.sections[0].ops.len(), 1);
        assert!(patch.warnings[0].contains("cut short"));
    }

    #[test]
    fn a_fallback_path_stands_in_for_a_missing_header() {
        let patch = parse(b"- 1aa..1aa", Some("x.ts")).expect("well formed");
        assert_eq!(patch.sections[0].path, "x.ts");
        assert!(message("- 1aa..1aa").contains("must begin with \"@@ PATH\""));
    }

    #[test]
    fn malformed_patches_are_refused_with_the_line_and_the_remedy() {
        for (input, part) in [
            ("", "The patch is empty"),
            ("@@ ", "line 1: the header names no file"),
            ("@@ a\n", "line 1: the section for a has no operations"),
            ("@@ a\n+ 4fb", "line 2: + and < need at least one payload"),
            ("@@ a\n~x", "line 2: this payload line follows no"),
            ("@@ a\n- 1aa..1aa\n~x", "line 3: this payload line follows no"),
            ("@@ a\n- 4fb", "line 2: - and = need a range"),
            ("@@ a\n- 6fb..4fb", "line 2: the range 6fb..4fb ends before it starts"),
            ("@@ a\n= 4fb..4fc\n~x", "two different anchors for one line"),
            ("@@ a\n+ 4fb|text\n~x", "got \"4fb|text\""),
            ("@@ a\n+ 0ab\n~x", "expected an anchor"),
            ("@@ a\n+ 9999999999ab\n~x", "expected an anchor"),
            ("@@ a\n- BOF..2ab", "got \"BOF\""),
            ("@@ a\nhello", "line 2: not an operation: \"hello\""),
        ] {
            assert!(message(input).contains(part), "{input:?} gave {:?}", message(input));
        }
    }

    #[test]
    fn payload_bytes_are_taken_as_they_are() {
        let patch = parse(b"@@ a\n+ BOF\n~\t\0\xff ~ \n", None).expect("well formed");
        assert_eq!(patch.sections[0].payload, b"\t\0\xff ~ \n");
    }
}
