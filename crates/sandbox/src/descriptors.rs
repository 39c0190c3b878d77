//! Open descriptors are rights that no rule about paths takes away, so programs get only those that are meant for them.

use std::io;

/// Keeps every descriptor but the standard streams from programs that this process starts from now on.
///
/// Whoever started this process may have left some open, a folder among them; through that one a program would reach all that its sandbox
/// hides. Node closes the low ones only.
pub fn keep_from_programs() -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: sets flags of descriptors and touches no memory.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { one_by_one() }
}

/// For Linux before 5.11, and for filters that do not know the call.
fn one_by_one() -> io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Some(number) = entry?.file_name().to_str().and_then(|name| name.parse::<libc::c_int>().ok()) else {
            continue;
        };
        if number > 2 {
            // SAFETY: as above. One that is closed by now is given to nobody.
            unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn is_given_to_programs(number: libc::c_int) -> bool {
        let path = format!("/proc/self/fd/{number}");
        Command::new("/bin/sh")
            .args(["-c", &format!("[ -d {path}/etc ]")])
            .status()
            .is_ok_and(|status| status.success())
    }

    fn open_for_programs(number: libc::c_int) -> bool {
        // SAFETY: a copy that is not closed when a program starts, as a shell makes it for `200</`.
        unsafe {
            let root = libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            libc::dup2(root, number) == number && libc::close(root) == 0
        }
    }

    #[test]
    fn programs_get_no_folder_that_this_process_was_started_with() {
        let ways: [(fn() -> bool, _); 3] = [
            (|| keep_from_programs().is_ok(), 200),
            (|| one_by_one().is_ok(), 201),
            (|| crate::probe::probe().platform == "linux", 202),
        ];
        for (keep, number) in ways {
            // Another test may close it for programs in this moment.
            assert!((0..100).any(|_| open_for_programs(number) && is_given_to_programs(number)));
            assert!(keep());
            assert!(!is_given_to_programs(number));
            // SAFETY: it was opened above.
            unsafe { libc::close(number) };
        }
    }
}
