//! The text of one git configuration file, as a list of keys and values.

/// A key in lower case (what stands in quotes keeps its case), and its value; a key alone has none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub key: Vec<u8>,
    pub value: Option<Vec<u8>>,
}

/// Reads a file. After a line that git would refuse, nothing more is read; its number is given.
pub(crate) fn entries_of(content: &[u8]) -> (Vec<Entry>, Option<usize>) {
    let mut reader = Reader { rest: content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content), line: 1 };
    let mut entries = Vec::new();
    let mut section = Vec::new();
    loop {
        let line = reader.line;
        let Some(byte) = reader.next() else { return (entries, None) };
        let done = match byte {
            b'#' | b';' => {
                while !matches!(reader.next(), None | Some(b'\n')) {}
                Some(())
            }
            b'[' => reader.section().map(|name| section = name),
            byte if is_space(byte) => Some(()),
            byte if byte.is_ascii_alphabetic() && !section.is_empty() => {
                reader.entry(&section, byte).map(|entry| entries.push(entry))
            }
            _ => None,
        };
        if done.is_none() {
            return (entries, Some(line));
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    line: usize,
}

impl Reader<'_> {
    /// The next byte; a carriage return before a line feed is skipped.
    fn next(&mut self) -> Option<u8> {
        if self.rest.starts_with(b"\r\n") {
            self.rest = &self.rest[1..];
        }
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.line += usize::from(*byte == b'\n');
        Some(*byte)
    }

    /// The name of a section after its bracket, with a dot at the end.
    fn section(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.next()? {
                b']' => break,
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(byte.to_ascii_lowercase());
                }
                byte if is_space(byte) && byte != b'\n' => {
                    self.subsection(&mut name)?;
                    break;
                }
                _ => return None,
            }
        }
        name.push(b'.');
        Some(name)
    }

    fn subsection(&mut self, name: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b'"' => break,
                byte if is_space(byte) && byte != b'\n' => {}
                _ => return None,
            }
        }
        name.push(b'.');
        loop {
            match self.next()? {
                b'"' => break,
                b'\n' => return None,
                b'\\' => name.push(self.next().filter(|byte| *byte != b'\n')?),
                byte => name.push(byte),
            }
        }
        (self.next()? == b']').then_some(())
    }

    fn entry(&mut self, section: &[u8], first: u8) -> Option<Entry> {
        let mut key = section.to_vec();
        key.push(first.to_ascii_lowercase());
        let mut byte = self.next();
        while let Some(next) = byte.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            key.push(next.to_ascii_lowercase());
            byte = self.next();
        }
        while matches!(byte, Some(b' ' | b'\t')) {
            byte = self.next();
        }
        let value = match byte {
            None | Some(b'\n') => None,
            Some(b'=') => Some(self.value()?),
            Some(_) => return None,
        };
        Some(Entry { key, value })
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let mut kept = 0;
        let (mut is_quoted, mut is_comment) = (false, false);
        loop {
            match self.next() {
                None | Some(b'\n') if is_quoted => return None,
                None | Some(b'\n') => break,
                Some(_) if is_comment => continue,
                Some(byte) if is_space(byte) && !is_quoted => {
                    // Blanks inside count, those around do not.
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                Some(b'#' | b';') if !is_quoted => {
                    is_comment = true;
                    continue;
                }
                Some(b'"') => is_quoted = !is_quoted,
                Some(b'\\') => match self.next()? {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                Some(byte) => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

/// Git's white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> (Vec<String>, Option<usize>) {
        let (entries, wrong) = entries_of(text.as_bytes());
        let shown = entries.iter().map(|entry| {
            let value = entry.value.as_deref().map(|value| format!("={}", String::from_utf8_lossy(value)));
            format!("{}{}", String::from_utf8_lossy(&entry.key), value.unwrap_or_default())
        });
        (shown.collect(), wrong)
    }

    #[test]
    fn sections_keys_quotes_escapes_and_comments_are_read_as_git_reads_them() {
        let text = "[Core] A-b = x y  # no\n\tc\r\n[s \"Sub \\\"q\"]\nk=\" a;\"b\\\\ \\\n  c ; d\n[x]y=\"\"";
        let expected = ["core.a-b=x y", "core.c", "s.Sub \"q.k= a;b\\   c", "x.y="];
        assert_eq!(values(text), (expected.map(str::to_owned).to_vec(), None));
    }

    #[test]
    fn a_line_that_git_refuses_ends_the_reading() {
        for text in ["[a]\nb=1\n=2\n", "[a]\nb=1\nc=\"x\n", "[a]\nb=1\nc=\\q\n", "[a]\nb=1\n[x y]\n"] {
            assert_eq!(values(text), (vec!["a.b=1".to_owned()], Some(3)), "{text}");
        }
    }
}
