//! The few system calls the engine needs, with errors as values.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// A pipe whose both ends close on exec.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0 as RawFd; 2];
    #[cfg(target_os = "linux")]
    // SAFETY: `ends` is a valid array of two descriptors for the call to fill.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) };
    #[cfg(not(target_os = "linux"))]
    // SAFETY: as above.
    let made = unsafe { libc::pipe(ends.as_mut_ptr()) };
    if made != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so both descriptors are open and owned by nobody else.
    let (read, write) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    #[cfg(not(target_os = "linux"))]
    for end in [&read, &write] {
        set_cloexec(end)?;
    }
    Ok((read, write))
}

/// Closes the descriptor in programs that are started later.
pub fn set_cloexec(fd: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain descriptor flag calls on an open descriptor.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) })
}

/// Makes reads and writes return instead of wait.
pub fn set_nonblocking(fd: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain status flag calls on an open descriptor.
    let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) };
    if flags < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) })
}

/// Asks for a roomier pipe; a smaller one only costs speed, so a refusal is fine.
pub fn widen_pipe(fd: &OwnedFd, bytes: i32) {
    #[cfg(target_os = "linux")]
    // SAFETY: plain call on an open pipe.
    unsafe {
        libc::fcntl(fd.as_raw_fd(), libc::F_SETPIPE_SZ, bytes);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (fd, bytes);
}

/// How many bytes wait in a pipe right now.
pub fn readable_bytes(fd: &OwnedFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: FIONREAD stores one int.
    let asked = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &mut count) };
    if asked == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }
}

/// Reads once. `Ok(None)`: nothing there now. `Ok(Some(0))`: the other end is closed.
pub fn read(fd: &OwnedFd, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        // SAFETY: the pointer and length describe `buffer`.
        let count = unsafe { libc::read(fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Some(count));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(None),
            _ => return Err(error),
        }
    }
}

/// Writes once and returns how much was taken; 0 when the pipe is full.
pub fn write(fd: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    loop {
        // SAFETY: the pointer and length describe `bytes`.
        let count = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(count);
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(0),
            _ => return Err(error),
        }
    }
}

/// One descriptor to wait for.
pub struct Interest<'a> {
    fd: BorrowedFd<'a>,
    events: libc::c_short,
}

impl<'a> Interest<'a> {
    /// Wait until there is something to read or the other end closed.
    pub fn read(fd: BorrowedFd<'a>) -> Self {
        Self { fd, events: libc::POLLIN }
    }

    /// Wait until there is room to write.
    pub fn write(fd: BorrowedFd<'a>) -> Self {
        Self { fd, events: libc::POLLOUT }
    }
}

/// Waits for any of `interests`; the answer says which are ready.
pub fn poll(interests: &[Interest<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut entries: Vec<libc::pollfd> = interests
        .iter()
        .map(|interest| libc::pollfd { fd: interest.fd.as_raw_fd(), events: interest.events, revents: 0 })
        .collect();
    let timeout = limit.map_or(-1, |limit| {
        // Rounded up: waking a moment early would only spin until the deadline.
        i32::try_from(limit.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
    });
    // SAFETY: the pointer and length describe `entries`.
    let ready = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, timeout) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(entries.iter().map(|entry| ready > 0 && entry.revents != 0).collect())
}

/// Sends a signal; a process that is already gone is what the caller wanted.
pub fn signal(pid: i32, number: i32) {
    if pid > 1 {
        // SAFETY: no memory is involved.
        unsafe { libc::kill(pid, number) };
    }
}

/// Turns a C status into a result.
pub fn check(status: libc::c_int) -> io::Result<()> {
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
