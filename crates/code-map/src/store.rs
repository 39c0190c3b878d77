//! The index on disk: one file, checked as a whole, replaced as a whole.
//!
//! A damaged file, one of another version and one of another tree read as none: then the tree is read anew. Names that nobody uses
//! any more are left out, so an index does not grow with the edits that it has seen.

use std::fs;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::Path;

use crate::index::{Def, File, Index, Stamp, push_number, take_number, uses};

/// Raise it when what is extracted changes, or how it is written.
const MAGIC: &[u8; 16] = b"tenon-code-map-1";

/// In the byte of a definition's kind.
const PRIVATE: u8 = 0x80;

fn checksum(bytes: &[u8]) -> u64 {
    // Guards against torn and foreign files, not against an enemy: the cache is the user's own.
    let mut hash = std::hash::DefaultHasher::new();
    hash.write(bytes);
    hash.finish()
}

/// Writes the index of a tree.
pub(crate) fn save(index: &Index, root: &str, languages: u64, path: &Path) -> io::Result<()> {
    let mut body = Vec::new();
    push_text(&mut body, root);
    body.extend_from_slice(&languages.to_le_bytes());
    let mut numbers = vec![u32::MAX; index.names.len()];
    let mut used = Vec::new();
    let mut note = |name: u32| {
        if let Some(slot) = numbers.get_mut(name as usize)
            && *slot == u32::MAX
        {
            *slot = used.len() as u32;
            used.push(name);
        }
    };
    let live = || index.files.iter().filter(|file| !file.is_gone);
    for file in live() {
        file.defs.iter().for_each(|def| note(def.name));
        uses(&file.uses).for_each(|(name, _)| note(name));
    }
    push_number(&mut body, used.len() as u32);
    for name in &used {
        push_text(&mut body, index.names.get(*name));
    }
    let number = |name: u32| numbers.get(name as usize).copied().unwrap_or(0);
    push_number(&mut body, index.len() as u32);
    for file in live() {
        push_text(&mut body, &file.path);
        body.push(file.language);
        body.extend_from_slice(&file.stamp.size.to_le_bytes());
        body.extend_from_slice(&file.stamp.modified.to_le_bytes());
        push_number(&mut body, file.defs.len() as u32);
        for def in &file.defs {
            push_number(&mut body, number(def.name));
            push_number(&mut body, def.line);
            push_number(&mut body, u32::from(def.parent));
            body.push(def.kind | if def.is_private { PRIVATE } else { 0 });
        }
        let mut list: Vec<(u32, u32)> = uses(&file.uses).map(|(name, count)| (number(name), count)).collect();
        list.sort_unstable();
        push_number(&mut body, list.len() as u32);
        let mut last = 0;
        for (name, count) in list {
            push_number(&mut body, name - last);
            push_number(&mut body, count);
            last = name;
        }
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write_private(&temporary, &[MAGIC, &checksum(&body).to_le_bytes(), &body]);
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // Best effort: what counts is the error itself.
        let _ = fs::remove_file(&temporary);
    })
}

fn write_private(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_number(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads the index of a tree; none when there is none that can be used.
pub(crate) fn load(root: &str, languages: u64, path: &Path) -> Option<Index> {
    let bytes = fs::read(path).ok()?;
    let rest = bytes.strip_prefix(MAGIC.as_slice())?;
    let (sum, body) = rest.split_at_checked(8)?;
    if checksum(body).to_le_bytes() != sum {
        return None;
    }
    let mut body = body;
    let body = &mut body;
    if take_text(body)? != root || take(body, 8)? != languages.to_le_bytes() {
        return None;
    }
    let mut index = Index::default();
    for at in 0..take_number(body)? {
        if index.name(take_text(body)?)? != at {
            return None;
        }
    }
    for _ in 0..take_number(body)? {
        let path = take_text(body)?.into();
        let language = take(body, 1)?.first().copied()?;
        let size = u64::from_le_bytes(take(body, 8)?.try_into().ok()?);
        let modified = i64::from_le_bytes(take(body, 8)?.try_into().ok()?);
        let count = take_number(body)?;
        let mut defs = Vec::with_capacity((count as usize).min(4_000));
        for _ in 0..count {
            let (name, line, parent) = (take_number(body)?, take_number(body)?, take_number(body)?);
            let kind = take(body, 1)?.first().copied()?;
            let (kind, is_private) = (kind & !PRIVATE, kind & PRIVATE != 0);
            defs.push(Def { name, line, parent: u16::try_from(parent).ok()?, kind, is_private });
        }
        let names = take_number(body)?;
        let whole: &[u8] = body;
        for _ in 0..names {
            take_number(body)?;
            take_number(body)?;
        }
        let packed = whole.get(..whole.len() - body.len())?.into();
        index.put_packed(File {
            path,
            language,
            stamp: Stamp { size, modified },
            defs: defs.into(),
            uses: packed,
            is_gone: false,
        });
    }
    body.is_empty().then_some(index)
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = take_number(bytes)? as usize;
    std::str::from_utf8(take(bytes, length)?).ok()
}
