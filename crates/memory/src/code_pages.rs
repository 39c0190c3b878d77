//! Unmaps pages of programs and libraries that are still as they are in their files.

use std::ops::Range;

/// A part of the address space that shows a file, may not be written, and was never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unchanged {
    addresses: Range<usize>,
    resident_bytes: u64,
}

/// Gives back every such page of the loaded objects; answers how many bytes were resident.
pub fn unmap_unchanged() -> u64 {
    let Ok(maps) = std::fs::read_to_string("/proc/self/smaps") else { return 0 };
    let mut work = Work { unchanged: parse(&maps), bytes: 0 };
    // SAFETY: `visit` has the type that is asked for, and `work` lives until the call returns.
    unsafe {
        libc::dl_iterate_phdr(Some(visit), (&raw mut work).cast());
    }
    work.bytes
}

struct Work {
    unchanged: Vec<Unchanged>,
    bytes: u64,
}

/// Called for each loaded object. Meanwhile the loader is locked: no object comes or goes.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: libc::size_t, data: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the loader gives a valid description, and `data` is the `Work` of the caller, which nothing else uses now.
    let (info, work) = unsafe { (&*info, &mut *data.cast::<Work>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the loader says how many there are.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    for header in headers {
        if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
            continue;
        }
        let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
        let segment = start..start.saturating_add(header.p_memsz as usize);
        for Unchanged { addresses, resident_bytes } in &work.unchanged {
            // Whole mappings only: their borders are borders of pages.
            let is_of_segment = addresses.start < segment.end && segment.start < addresses.end;
            // SAFETY: the pages are those of a read-only part of a loaded object, and equal to its file: reading one
            // again gives the same bytes.
            if is_of_segment
                && unsafe { libc::madvise(addresses.start as *mut _, addresses.len(), libc::MADV_DONTNEED) } == 0
            {
                work.bytes += resident_bytes;
            }
        }
    }
    0
}

/// The parts that may be given back, from the text of `/proc/self/smaps`.
fn parse(maps: &str) -> Vec<Unchanged> {
    let mut found = Vec::new();
    let mut present: Option<Unchanged> = None;
    let mut is_changed = true;
    let mut finish = |entry: &mut Option<Unchanged>, is_changed: bool| {
        if let Some(entry) = entry.take().filter(|_| !is_changed) {
            found.push(entry);
        }
    };
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else { continue };
        if let Some(name) = first.strip_suffix(':') {
            let kilobytes = words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
            match (name, &mut present) {
                ("Rss", Some(entry)) => entry.resident_bytes = kilobytes * 1024,
                // Written before it became read-only, or by a debugger; or the program's code was moved to large pages.
                ("Anonymous", _) => is_changed = kilobytes > 0,
                _ => {}
            }
        } else {
            finish(&mut present, is_changed);
            is_changed = true;
            present = read_only_file(first, words);
        }
    }
    finish(&mut present, is_changed);
    found
}

/// `5581c000-5583b000 r-xp 00002000 fd:01 2371 /usr/bin/node`, if it is of a file and may not be written.
fn read_only_file<'a>(addresses: &str, mut words: impl Iterator<Item = &'a str>) -> Option<Unchanged> {
    let (start, end) = addresses.split_once('-')?;
    let addresses = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
    let [rights, _offset, _device, inode, path] = [(); 5].map(|()| words.next().unwrap_or(""));
    let fits = rights.starts_with('r') && !rights.contains('w') && inode != "0" && path.starts_with('/');
    fits.then_some(Unchanged { addresses, resident_bytes: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000-00500000 r-xp 00000000 fd:01 2371                               /usr/bin/node
Rss:                 100 kB
Anonymous:             0 kB
00500000-00600000 r--p 00100000 fd:01 2371                               /usr/bin/node
Rss:                  60 kB
Anonymous:             8 kB
00600000-00700000 rw-p 00200000 fd:01 2371                               /usr/bin/node
Rss:                  40 kB
Anonymous:             0 kB
7f0000000000-7f0000100000 r--p 00000000 00:00 0
Rss:                  20 kB
Anonymous:             0 kB
7f0000200000-7f0000300000 r-xp 00000000 00:00 0                          [vdso]
Rss:                   8 kB
Anonymous:             0 kB
7f0000400000-7f0000500000 r--p 00000000 fd:01 99                         /lib/a library (deleted)
Rss:                  12 kB
Anonymous:             0 kB
7f0000600000-7f0000700000 r--p 00000000 fd:01 99                         /lib/cut";

    #[test]
    fn only_unchanged_read_only_parts_of_files_are_given_back() {
        let unchanged =
            |addresses: Range<usize>, kilobytes: u64| Unchanged { addresses, resident_bytes: kilobytes * 1024 };
        assert_eq!(
            parse(MAPS),
            [unchanged(0x0040_0000..0x0050_0000, 100), unchanged(0x7f00_0040_0000..0x7f00_0050_0000, 12),]
        );
    }
}
