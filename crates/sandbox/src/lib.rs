//! What an operating system can do to hold a process to a policy, as four small parts.
//!
//! * [`probe`] says what this machine can enforce, with a reason for everything it cannot.
//! * [`restrict`] makes the present process give up rights for good: Landlock for files and TCP ports, seccomp for
//!   system calls, resource limits, capabilities. The rights cannot be regained, also not by a child.
//! * [`bubblewrap`] turns a policy into a `bwrap` command line, and [`seatbelt`] into a macOS profile. Both are pure
//!   text functions: they can be tested on any machine, and whoever runs the command decides when.
//!
//! A policy is a list of what is allowed; everything else is denied. A part of a policy that cannot be enforced is
//! never dropped silently: it is named in the answer, or refused.

pub mod bubblewrap;
pub mod mounts;
pub mod policy;
pub mod probe;
pub mod restrict;
pub mod seatbelt;

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod elf;
#[cfg(target_os = "linux")]
mod landlock;
pub mod seccomp;

pub use policy::{CommandPolicy, Exec, Net, PolicyError, SelfPolicy, Unenforced};
