//! Two letters that stand for a line's text.
//!
//! The letters are XXH32 of the text without trailing blanks, reduced to 26 × 26. Trailing blanks (and with them a
//! `\r`) are left out so that an anchor survives a change of line endings or a formatter's trimming. A line without
//! a letter, digit or non-ASCII byte (`}`, `});`, a blank line) is too common for its text to tell it from its
//! siblings, so its line number is the hash's seed.
//!
//! XXH32 was chosen because it is quick in both homes of this code: four independent 32-bit lanes suit the CPU, and
//! 32-bit multiplication is what JavaScript has (`Math.imul`), so that the twin is not punished.

use std::num::NonZero;
use std::thread;

use memchr::memchr_iter;
use xxhash_rust::xxh32::xxh32;

use crate::text::split_bom;

/// How many different anchors there are.
pub const ANCHORS: u32 = 26 * 26;
/// Below this, starting threads costs more than they save.
const BYTES_PER_THREAD: usize = 512 * 1024;
const MOST_THREADS: usize = 8;

/// A line's text without its trailing blanks; two lines are "the same" when this is equal.
pub fn trim_end(text: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
    let end = text.iter().rposition(|byte| !blank(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// True when the text has something to tell it from its siblings: an ASCII letter or digit, or any other script.
pub fn is_telling(text: &[u8]) -> bool {
    text.iter().any(|&byte| byte >= 0x80 || byte.is_ascii_alphanumeric())
}

/// The anchor code (below [`ANCHORS`]) of a line; `number` counts from 1.
pub fn line_code(text: &[u8], number: u32) -> u16 {
    let text = trim_end(text);
    let seed = if is_telling(text) { 0 } else { number };
    (xxh32(text, seed) % ANCHORS) as u16
}

/// The two letters of a code.
pub fn letters_of(code: u16) -> [u8; 2] {
    let letter = |index: u16| b'a' + (index % 26) as u8;
    [letter(code / 26), letter(code)]
}

/// The code of two letters, or nothing when they are not lowercase letters.
pub fn code_of(letters: [u8; 2]) -> Option<u16> {
    let index = |letter: u8| letter.is_ascii_lowercase().then(|| u16::from(letter - b'a'));
    Some(index(letters[0])? * 26 + index(letters[1])?)
}

/// How many threads are worth their start. A small file must not ask: the answer is read from half a dozen files.
fn threads_for(bytes: usize) -> usize {
    if bytes < BYTES_PER_THREAD {
        return 1;
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    cores.min(bytes / BYTES_PER_THREAD + 1)
}

/// The anchor codes of all lines of a file.
pub fn hash_lines(content: &[u8]) -> Vec<u16> {
    let (_, body) = split_bom(content);
    let parts = split_at_lines(body, threads_for(body.len()));
    let [first, others @ ..] = parts.as_slice() else { return Vec::new() };
    if others.is_empty() {
        return hash_part(first, 1);
    }
    // Each part must know its first line number, because it is in the hash of lines that tell nothing.
    let mut number = 1;
    let numbered: Vec<(u32, &[u8])> = parts
        .iter()
        .map(|part| {
            let first = number;
            number += memchr_iter(b'\n', part).count() as u32;
            (first, *part)
        })
        .collect();
    let hashed: Vec<Vec<u16>> = thread::scope(|scope| {
        let running: Vec<_> =
            numbered.iter().map(|&(first, part)| (first, part, scope.spawn(move || hash_part(part, first)))).collect();
        // A part whose thread failed is simply hashed here: the answer must not depend on threads.
        running.into_iter().map(|(first, part, task)| task.join().unwrap_or_else(|_| hash_part(part, first))).collect()
    });
    hashed.concat()
}

fn hash_part(part: &[u8], first_number: u32) -> Vec<u16> {
    let mut codes = Vec::with_capacity(part.len() / 32 + 1);
    let mut number = first_number;
    let mut start = 0;
    for end in memchr_iter(b'\n', part) {
        codes.push(line_code(part.get(start..end).unwrap_or_default(), number));
        number += 1;
        start = end + 1;
    }
    if let Some(rest) = part.get(start..).filter(|rest| !rest.is_empty()) {
        codes.push(line_code(rest, number));
    }
    codes
}

/// Cuts a body into about `wanted` parts that end at line ends.
fn split_at_lines(body: &[u8], wanted: usize) -> Vec<&[u8]> {
    let size = body.len() / wanted.max(1) + 1;
    let mut parts = Vec::with_capacity(wanted);
    let mut rest = body;
    while !rest.is_empty() {
        let cut = rest.get(size..).and_then(|tail| memchr::memchr(b'\n', tail)).map_or(rest.len(), |at| size + at + 1);
        let (part, tail) = rest.split_at(cut);
        parts.push(part);
        rest = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_letters_are_one_to_one() {
        for code in 0..ANCHORS as u16 {
            assert_eq!(code_of(letters_of(code)), Some(code));
        }
        assert_eq!(letters_of(0), *b"aa");
        assert_eq!(letters_of(675), *b"zz");
        assert_eq!(code_of(*b"A1"), None);
    }

    #[test]
    fn trailing_blanks_and_carriage_returns_do_not_change_an_anchor() {
        assert_eq!(line_code(b"let a = 1;", 4), line_code(b"let a = 1; \t\r", 9));
        assert_ne!(line_code(b"let a = 1;", 4), line_code(b" let a = 1;", 4));
    }

    #[test]
    fn only_lines_that_tell_nothing_depend_on_their_number() {
        assert_ne!(line_code(b"}", 4), line_code(b"}", 5));
        assert_ne!(line_code(b"", 4), line_code(b"", 5));
        assert_eq!(line_code("é".as_bytes(), 4), line_code("é".as_bytes(), 5));
    }

    #[test]
    fn every_letter_pair_is_used_about_equally() {
        let mut seen = vec![0u32; ANCHORS as usize];
        for n in 0..67_600 {
            seen[line_code(format!("const value{n} = {};", n * 7).as_bytes(), n) as usize] += 1;
        }
        let (low, high) = (seen.iter().min().copied(), seen.iter().max().copied());
        assert!(low > Some(50) && high < Some(160), "{low:?}..{high:?}");
    }

    #[test]
    fn a_file_large_enough_for_threads_hashes_as_line_by_line() {
        let content: String =
            (0..200_000).map(|n| if n % 3 == 0 { "}\n".into() } else { format!("line {n}\r\n") }).collect();
        assert!(content.len() > 2 * BYTES_PER_THREAD);
        let expected: Vec<u16> =
            content.lines().zip(1..).map(|(line, number)| line_code(line.as_bytes(), number)).collect();
        assert_eq!(hash_lines(content.as_bytes()), expected);
    }
}
