//! Parsing of what the shell and the guard report.
//!
//! A frame is `\0 TAG \0 field \0 … field \0`. It opens with a NUL so that stray bytes, written by a program that
//! inherited the channel, end before it; empty fields between frames are skipped, unknown tags are ignored.

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// The shell is up: its process id as it sees it, and whether it can read long commands in bulk.
    Ready { pid: i32, bulk: bool },
    /// A command ended; `options` are the letters of `$-`.
    End { token: Vec<u8>, status: i32, cwd: Vec<u8>, options: Vec<u8> },
    /// The shell is ending and leaves its state.
    State { cwd: Vec<u8>, text: Vec<u8> },
    /// The guard is up.
    Guard { pid: i32, watcher: i32 },
    /// The guard saw the shell end.
    ShellEnded { status: i32 },
}

/// State above this size is not carried to the next shell.
pub const LARGEST_STATE: usize = 32 << 20;

/// Collects bytes and yields whole frames.
#[derive(Debug, Default)]
pub struct FrameReader {
    pending: Vec<u8>,
    fields: Vec<Vec<u8>>,
    overflow: bool,
}

impl FrameReader {
    /// Takes bytes as they arrive and returns the frames they complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            let (head, rest) = bytes.split_at(end);
            self.append(head);
            bytes = &rest[1..];
            let field = std::mem::take(&mut self.pending);
            let overflow = std::mem::take(&mut self.overflow);
            frames.extend(self.field(field, overflow));
        }
        self.append(bytes);
        frames
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > LARGEST_STATE {
            self.pending.clear();
            self.overflow = true;
        }
        if !self.overflow {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn field(&mut self, field: Vec<u8>, overflow: bool) -> Option<Frame> {
        if self.fields.is_empty() {
            if expected_fields(&field).is_some() {
                self.fields.push(field);
            }
            return None;
        }
        self.fields.push(field);
        if overflow {
            self.fields.clear();
            return None;
        }
        if self.fields.len() <= expected_fields(&self.fields[0]).unwrap_or(0) {
            return None;
        }
        build(&std::mem::take(&mut self.fields))
    }
}

fn expected_fields(tag: &[u8]) -> Option<usize> {
    match tag {
        b"I" | b"S" | b"G" => Some(2),
        b"E" => Some(4),
        b"X" => Some(1),
        _ => None,
    }
}

fn build(fields: &[Vec<u8>]) -> Option<Frame> {
    match (fields.first()?.as_slice(), &fields[1..]) {
        (b"I", [pid, bulk]) => Some(Frame::Ready { pid: number(pid)?, bulk: bulk == b"1" }),
        (b"E", [token, status, cwd, options]) => Some(Frame::End {
            token: token.clone(),
            status: number(status)?,
            cwd: cwd.clone(),
            options: options.clone(),
        }),
        (b"S", [cwd, text]) => Some(Frame::State { cwd: cwd.clone(), text: text.clone() }),
        (b"G", [pid, watcher]) => Some(Frame::Guard { pid: number(pid)?, watcher: number(watcher)? }),
        (b"X", [status]) => Some(Frame::ShellEnded { status: number(status)? }),
        _ => None,
    }
}

fn number(field: &[u8]) -> Option<i32> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stray_bytes_before_a_frame_do_not_hide_it() {
        let frames = FrameReader::default().push(b"junk from a child\0E\0tok\x003\0/tmp\0hBx\0");
        let end = Frame::End { token: b"tok".to_vec(), status: 3, cwd: b"/tmp".to_vec(), options: b"hBx".to_vec() };
        assert_eq!(frames, [end]);
    }

    #[test]
    fn a_state_larger_than_the_limit_is_dropped_and_later_frames_survive() {
        let mut reader = FrameReader::default();
        let mut frames = reader.push(b"\0S\0/\0");
        for _ in 0..(LARGEST_STATE >> 20) + 1 {
            frames.extend(reader.push(&vec![b'x'; 1 << 20]));
        }
        frames.extend(reader.push(b"\0\0X\x007\0"));
        assert_eq!(frames, [Frame::ShellEnded { status: 7 }]);
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_bytes_are_cut(
            cuts in proptest::collection::vec(1usize..9, 1..40),
            status in 0i32..256,
            cwd in "[a-z/ é]{0,20}",
        ) {
            let text = format!("\0I\x0042\x001\0\0E\0t\0{status}\0/{cwd}\0hB\0\0S\0/x\0declare -- a\0\0X\0{status}\0");
            let whole = FrameReader::default().push(text.as_bytes());
            prop_assert_eq!(whole.len(), 4);
            let mut reader = FrameReader::default();
            let mut parts = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (head, tail) = rest.split_at((*cut).min(rest.len()));
                parts.extend(reader.push(head));
                rest = tail;
            }
            prop_assert_eq!(whole, parts);
        }
    }
}
