//! Giving up root's capabilities, so that a restricted root process is as weak as anybody's.

use std::io;

/// More than any kernel has; the kernel answers EINVAL for numbers it does not know.
const CAPABILITY_NUMBERS: libc::c_ulong = 64;
/// prctl takes whole words; a plain `0` would be half a word in a variadic call.
const NONE: libc::c_ulong = 0;
const VERSION_3: u32 = 0x2008_0522;

#[repr(C)]
struct Header {
    version: u32,
    thread: libc::c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Sets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops the bounding, ambient and own capability sets of the calling thread. Makes no allocation.
pub fn drop_all() -> io::Result<()> {
    for number in 0..CAPABILITY_NUMBERS {
        // SAFETY: plain prctl calls. Without CAP_SETPCAP this fails, but then there is nothing to gain either:
        // no_new_privs keeps an exec from adding capabilities.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, NONE, NONE, NONE) };
    }
    // SAFETY: as above; kernels without ambient capabilities answer EINVAL.
    unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as libc::c_ulong, NONE, NONE, NONE) };
    let header = Header { version: VERSION_3, thread: 0 };
    let none = [Sets { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: version 3 of the call reads one header and two sets.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
