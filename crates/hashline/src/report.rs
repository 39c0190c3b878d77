//! What a refused editor is shown: the lines that are there now, with fresh anchors.

use std::collections::{BTreeMap, BTreeSet};

use crate::anchor::line_code;
use crate::format::push_line;
use crate::patch::Anchor;
use crate::text::Text;

/// Lines shown on each side of a stale one.
const CONTEXT: usize = 2;
/// Long lines are cut in the report, which goes into a model's context.
const SHOWN_LINE_BYTES: usize = 400;
/// More stale anchors than this are counted, not shown.
const SHOWN_ANCHORS: usize = 20;

/// An anchor that does not fit the file as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stale {
    /// The line of the patch that names the anchor.
    pub patch_line: u32,
    pub anchor: Anchor,
    /// The code of the line there now; nothing when the file is shorter.
    pub now: Option<u16>,
}

impl Stale {
    /// Looks up what is at the anchor's line now.
    pub fn new(patch_line: u32, anchor: Anchor, text: &Text<'_>) -> Self {
        let line = (anchor.line as usize).checked_sub(1).and_then(|index| text.line(index));
        Self { patch_line, anchor, now: line.map(|line| line_code(line.text, anchor.line)) }
    }
}

/// At most `most` bytes of `text` as a string, cut between characters and marked with `…` when cut.
pub fn excerpt(text: &[u8], most: usize) -> String {
    if text.len() <= most {
        return String::from_utf8_lossy(text).into_owned();
    }
    let mut end = most;
    // At most three bytes back: a longer run of continuation bytes is not UTF-8 anyway.
    while end > most.saturating_sub(3) && text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    let mut shown = String::from_utf8_lossy(text.get(..end).unwrap_or_default()).into_owned();
    shown.push('…');
    shown
}

/// The message for stale anchors. `reasons` are extra sentences, such as why a recovery was not possible.
pub fn stale_message(path: &str, text: &Text<'_>, stale: &[Stale], anchors: usize, reasons: &[String]) -> String {
    let count = stale.len();
    let mut message = format!(
        "Edit refused, nothing was changed: {count} of {anchors} anchors in the patch {} {path} any more.\n",
        if count == 1 { "does not fit" } else { "do not fit" }
    );
    for reason in reasons {
        message.push_str(reason);
        message.push('\n');
    }
    let missing: BTreeSet<u32> =
        stale.iter().filter(|entry| entry.now.is_none()).map(|entry| entry.anchor.line).collect();
    for line in missing.iter().take(SHOWN_ANCHORS) {
        message.push_str(&format!("Line {line} does not exist (the file has {} lines).\n", text.count()));
    }
    let marked: BTreeSet<usize> =
        stale.iter().filter(|entry| entry.now.is_some()).map(|entry| entry.anchor.line as usize).collect();
    if !marked.is_empty() {
        message.push_str("These lines are there now, with fresh anchors; * marks the ones that the patch names. ");
        message
            .push_str("Check that they are still the lines you mean, then send the edit again with these anchors:\n");
        push_lines(&mut message, text, &marked);
    }
    if marked.len() > SHOWN_ANCHORS || missing.len() > SHOWN_ANCHORS {
        message.push_str("More anchors do not fit than are shown here. ");
    }
    message.push_str("Read the file again for more of it.");
    message
}

fn push_lines(message: &mut String, text: &Text<'_>, marked: &BTreeSet<usize>) {
    let mut shown: BTreeMap<usize, bool> = BTreeMap::new();
    for &number in marked.iter().take(SHOWN_ANCHORS) {
        for near in number.saturating_sub(CONTEXT).max(1)..=(number + CONTEXT).min(text.count()) {
            *shown.entry(near).or_default() |= near == number;
        }
    }
    let mut previous = None;
    for (number, is_marked) in shown {
        if previous.is_some_and(|previous| previous + 1 != number) {
            message.push_str(" ...\n");
        }
        previous = Some(number);
        let Some(line) = text.line(number - 1) else { continue };
        message.push(if is_marked { '*' } else { ' ' });
        // The anchor is of the whole line, also when only its beginning is shown.
        let mut anchored = Vec::new();
        push_line(&mut anchored, number, line.text);
        let anchor_end = anchored.iter().position(|&byte| byte == b'|').map_or(0, |at| at + 1);
        message.push_str(&String::from_utf8_lossy(anchored.get(..anchor_end).unwrap_or_default()));
        message.push_str(&excerpt(line.text, SHOWN_LINE_BYTES));
        message.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        assert_eq!(excerpt("aé".as_bytes(), 2), "a…");
        assert_eq!(excerpt("aé".as_bytes(), 3), "aé");
        assert_eq!(excerpt(b"\x80\x80\x80\x80\x80\x80", 5), "\u{fffd}\u{fffd}…");
    }

    #[test]
    fn the_report_shows_two_lines_around_and_marks_the_stale_one() {
        let content = b"one\ntwo\nthree\nfour\nfive\nsix\n";
        let text = Text::new(content);
        let stale = Stale::new(3, Anchor { line: 4, code: 0 }, &text);
        let message = stale_message("a.ts", &text, &[stale], 2, &[]);
        let shown: Vec<&str> = message.lines().filter(|line| line.contains('|')).collect();
        assert_eq!(shown.len(), 5);
        assert!(shown[2].starts_with("*4") && shown[2].ends_with("|four"));
        assert!(message.starts_with("Edit refused, nothing was changed: 1 of 2 anchors"));
    }

    #[test]
    fn an_anchor_past_the_end_says_how_long_the_file_is() {
        let text = Text::new(b"one\n");
        let stale = Stale::new(3, Anchor { line: 40, code: 0 }, &text);
        assert!(stale_message("a", &text, &[stale], 1, &[]).contains("Line 40 does not exist (the file has 1 lines)."));
    }
}
