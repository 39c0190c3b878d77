//! Gives memory that a waiting process does not need back to the system.
//!
//! * The C library keeps freed memory for later allocations; it is asked to return whole pages.
//! * Pages of programs and libraries that only a start needed stay mapped. They are unmapped here and stay in the
//!   system's file cache, so that the next use maps them again without reading the disk.
//!
//! Both are for Linux; elsewhere [`release`] does nothing.

#[cfg(target_os = "linux")]
mod code_pages;

/// What was given back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Released {
    /// Bytes of programs and libraries that are no longer mapped.
    pub code_bytes: u64,
}

/// Gives back what a waiting process does not need. It takes some milliseconds.
pub fn release() -> Released {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it locks what it changes, and takes no pointers.
    unsafe {
        libc::malloc_trim(0);
    }
    #[cfg(target_os = "linux")]
    let released = Released { code_bytes: code_pages::unmap_unchanged() };
    #[cfg(not(target_os = "linux"))]
    let released = Released::default();
    released
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    /// Tests share a process, and each gives the pages of all of it back.
    fn alone() -> MutexGuard<'static, ()> {
        static ONE: Mutex<()> = Mutex::new(());
        ONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resident_file_kilobytes() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap_or("0");
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
    }

    #[test]
    fn pages_of_the_program_are_given_back_and_come_back_unchanged() {
        static TEXT: [u8; 1 << 20] = [7; 1 << 20];
        let _guard = alone();
        let sum = || TEXT.iter().map(|byte| u64::from(*std::hint::black_box(byte))).sum::<u64>();
        let expected = sum();
        let before = resident_file_kilobytes();
        let released = release();
        let after = resident_file_kilobytes();
        assert!(released.code_bytes >= 1 << 20, "{released:?}");
        assert!(after + 900 < before, "{before} kB before, {after} kB after");
        assert_eq!(sum(), expected);
    }

    #[test]
    fn memory_that_was_written_keeps_its_contents_while_threads_work() {
        static DATA: Mutex<[u64; 4096]> = Mutex::new([1; 4096]);
        let _guard = alone();
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                std::thread::spawn(move || {
                    let mut words: Vec<String> = Vec::new();
                    for round in 0..2_000 {
                        words.push(format!("{worker}-{round}"));
                        if let Ok(mut data) = DATA.lock() {
                            data[round % 4096] += 1;
                        }
                    }
                    words.iter().enumerate().all(|(round, word)| *word == format!("{worker}-{round}"))
                })
            })
            .collect();
        for _ in 0..20 {
            release();
        }
        assert!(workers.into_iter().all(|worker| worker.join().is_ok_and(|kept| kept)));
        let total = DATA.lock().map(|data| data.iter().sum::<u64>()).unwrap_or(0);
        assert_eq!(total, 4096 + 4 * 2_000);
    }
}
