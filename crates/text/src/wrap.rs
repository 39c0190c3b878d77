//! Text with styles, broken into lines that fit a number of columns.
//!
//! A line breaks after spaces and around wide characters, and inside a word only when the word alone is too long.
//! Spaces at a break disappear. Every line stands on its own: a style or link open at its end is closed, and opened again
//! on the next, so that lines can be drawn in any order.

use crate::link::{CLOSE_LINK, is_closing, link_at, push_link};
use crate::style::Style;
use crate::width::first_cluster;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    Space,
    Wide,
    Style,
    Link,
}

/// A cluster, a style or a link.
struct Item<'a> {
    text: &'a str,
    width: usize,
    kind: Kind,
}

/// Breaks `text` into lines of at most `width` columns; tabs become spaces up to the next multiple of `tab_width`.
pub fn wrap(text: &str, width: usize, tab_width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut style = Style::default();
    let mut link: Option<&str> = None;
    let mut lines = Vec::new();
    let mut items = Vec::new();
    for row in text.split('\n') {
        items.clear();
        read_items(row, tab_width.clamp(1, SPACES.len()), &mut items);
        break_row(&items, width, |line| {
            let mut out = String::new();
            style.push_opening(&mut out);
            if let Some(body) = link {
                push_link(body, &mut out);
            }
            for item in line {
                out.push_str(item.text);
                if item.kind == Kind::Style {
                    style.apply(item.text.get(2..item.text.len() - 1).unwrap_or_default());
                } else if item.kind == Kind::Link {
                    link = link_at(item.text).map(|(_, body)| body).filter(|body| !is_closing(body));
                }
            }
            if link.is_some() {
                out.push_str(CLOSE_LINK);
            }
            if !style.is_plain() {
                out.push_str("\u{1b}[0m");
            }
            lines.push(out);
        });
    }
    lines
}

/// Stands in for tabs.
const SPACES: &str = "                ";

fn read_items<'a>(row: &'a str, tab_width: usize, items: &mut Vec<Item<'a>>) {
    let mut rest = row;
    let mut column = 0;
    while let Some(&first) = rest.as_bytes().first() {
        let (length, item) = match first {
            b'\t' => {
                let columns = tab_width - column % tab_width;
                for at in 0..columns {
                    items.push(Item { text: SPACES.get(at..=at).unwrap_or_default(), width: 1, kind: Kind::Space });
                }
                column += columns;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            b' ' if rest.as_bytes().get(1).is_none_or(u8::is_ascii) => {
                (1, Item { text: rest.get(..1).unwrap_or_default(), width: 1, kind: Kind::Space })
            }
            0x1b if style_length(rest) > 0 => {
                let length = style_length(rest);
                (length, Item { text: rest.get(..length).unwrap_or_default(), width: 0, kind: Kind::Style })
            }
            0x1b if link_at(rest).is_some() => {
                let length = link_at(rest).map_or(0, |(length, _)| length);
                (length, Item { text: rest.get(..length).unwrap_or_default(), width: 0, kind: Kind::Link })
            }
            _ => {
                let (length, width) = first_cluster(rest);
                let kind = if width > 1 { Kind::Wide } else { Kind::Plain };
                (length, Item { text: rest.get(..length).unwrap_or_default(), width, kind })
            }
        };
        column += item.width;
        items.push(item);
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The length of an SGR sequence at the start of `text`, or 0.
fn style_length(text: &str) -> usize {
    let Some(tail) = text.strip_prefix("\u{1b}[") else { return 0 };
    let parameters = tail.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
    if tail.as_bytes().get(parameters) == Some(&b'm') { parameters + 3 } else { 0 }
}

fn break_row<'i, 'a>(items: &'i [Item<'a>], width: usize, mut emit: impl FnMut(&'i [Item<'a>])) {
    let mut start = 0;
    let mut column = 0;
    // Where the next line would start if this one had to end at its last opportunity.
    let mut opportunity = 0;
    let mut at = 0;
    while let Some(item) = items.get(at) {
        if item.kind == Kind::Wide && at > start {
            opportunity = at;
        }
        if column > 0 && item.width > 0 && column + item.width > width {
            let end = if item.kind == Kind::Space || opportunity <= start { at } else { opportunity };
            emit(without_trailing_spaces(items.get(start..end).unwrap_or_default()));
            start = end;
            if item.kind == Kind::Space {
                while items.get(start).is_some_and(|item| item.kind == Kind::Space) {
                    start += 1;
                }
                at = start;
            }
            opportunity = start;
            column = items.get(start..at).unwrap_or_default().iter().map(|item| item.width).sum();
            continue;
        }
        column += item.width;
        at += 1;
        if matches!(item.kind, Kind::Space | Kind::Wide) {
            opportunity = at;
        }
    }
    // Spaces that ran over the end leave no line of their own behind.
    if start == 0 || start < items.len() {
        emit(items.get(start..).unwrap_or_default());
    }
}

fn without_trailing_spaces<'i, 'a>(line: &'i [Item<'a>]) -> &'i [Item<'a>] {
    let end = line.iter().rposition(|item| item.kind != Kind::Space).map_or(0, |last| last + 1);
    line.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::text_width;
    use proptest::prelude::*;

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrap("the quick brown fox", 10, 4), ["the quick", "brown fox"]);
        assert_eq!(wrap("a verylongword b", 6, 4), ["a", "verylo", "ngword", "b"]);
        assert_eq!(wrap("", 5, 4), [""]);
        assert_eq!(wrap("a\n\nb", 5, 4), ["a", "", "b"]);
        assert_eq!(wrap("    indented text", 12, 4), ["    indented", "text"]);
    }

    #[test]
    fn wide_characters_break_between_each_other() {
        assert_eq!(wrap("日本語テキスト", 5, 4), ["日本", "語テ", "キス", "ト"]);
        assert_eq!(wrap("日", 1, 4), ["日"]);
    }

    #[test]
    fn a_style_is_closed_at_each_line_and_opened_again() {
        assert_eq!(
            wrap("\u{1b}[31mred words here\u{1b}[0m plain", 9, 4),
            ["\u{1b}[31mred words\u{1b}[0m", "\u{1b}[31mhere\u{1b}[0m", "plain"].map(String::from)
        );
    }

    #[test]
    fn a_link_is_closed_at_each_line_and_opened_again() {
        assert_eq!(
            wrap("see \u{1b}]8;id=1;http://a\u{7}the long page\u{1b}]8;;\u{7} now", 8, 4),
            [
                "see \u{1b}]8;id=1;http://a\u{7}the\u{1b}]8;;\u{1b}\\",
                "\u{1b}]8;id=1;http://a\u{1b}\\long\u{1b}]8;;\u{1b}\\",
                "\u{1b}]8;id=1;http://a\u{1b}\\page\u{1b}]8;;\u{7} now"
            ]
            .map(String::from)
        );
    }

    #[test]
    fn tabs_reach_to_the_next_stop() {
        assert_eq!(wrap("a\tb", 20, 4), ["a   b"]);
        assert_eq!(wrap("\tb", 20, 8), ["        b"]);
    }

    fn strip(line: &str) -> String {
        crate::sanitize(line.as_bytes(), crate::Keep::default())
    }

    proptest! {
        #[test]
        fn lines_fit_and_lose_only_spaces(text in "([a-c日é👍 \t]|\u{1b}\\[(31|1|0)m){0,60}", width in 2usize..20) {
            let lines = wrap(&text, width, 4);
            for line in &lines {
                prop_assert!(text_width(&strip(line)) <= width, "{line:?}");
            }
            let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(ink(&strip(&lines.concat())), ink(&strip(&text)));
        }
    }
}
