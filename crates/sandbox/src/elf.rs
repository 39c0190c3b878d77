//! Which other file must be executable for a program to start: the loader named inside it, or a script's interpreter.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const PROGRAM_INTERPRETER: u32 = 3;

/// The loader of a 64-bit little-endian ELF file, or the interpreter of a script; `None` for a static program.
pub fn interpreter(program: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut file = File::open(program)?;
    let mut head = [0u8; 256];
    let mut length = 0;
    while length < head.len() {
        match file.read(&mut head[length..])? {
            0 => break,
            more => length += more,
        }
    }
    let head = &head[..length];
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
        let name = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        return Ok((!name.is_empty()).then(|| path(name)));
    }
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let (Some(table), Some(size), Some(count)) = (number(head, 32, 8), number(head, 54, 2), number(head, 56, 2)) else {
        return Ok(None);
    };
    for index in 0..count {
        let mut entry = [0u8; 56];
        file.read_exact_at(&mut entry, table.saturating_add(index.saturating_mul(size)))?;
        if number(&entry, 0, 4) == Some(u64::from(PROGRAM_INTERPRETER)) {
            let offset = number(&entry, 8, 8).unwrap_or_default();
            let length = number(&entry, 32, 8).unwrap_or_default().min(4096);
            let mut name = vec![0u8; usize::try_from(length).unwrap_or_default()];
            file.read_exact_at(&mut name, offset)?;
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            return Ok(Some(path(name)));
        }
    }
    Ok(None)
}

fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut wide = [0u8; 8];
    wide.get_mut(..length)?.copy_from_slice(bytes.get(at..at + length)?);
    Some(u64::from_le_bytes(wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_names_its_loader_and_a_script_its_interpreter() {
        let own = std::env::current_exe().expect("own path");
        let loader = interpreter(&own).expect("readable").expect("dynamic");
        assert!(loader.exists(), "{loader:?}");
        let folder = tempfile::tempdir().expect("folder");
        let script = folder.path().join("script");
        std::fs::write(&script, "#! /bin/sh -e\nexit 0\n").expect("written");
        assert_eq!(interpreter(&script).expect("readable"), Some(PathBuf::from("/bin/sh")));
        std::fs::write(&script, "\x7fELF").expect("written");
        assert_eq!(interpreter(&script).expect("readable"), None);
    }
}
