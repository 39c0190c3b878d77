//! Persistent shell sessions and terminals, driven from outside.
//!
//! A session is a real bash. It reads its script from a control pipe, so that `break`, `return`, aliases and
//! unbalanced quotes mean what they mean in any script, and it reports the end of each command on a pipe of its
//! own, so that no output can be taken for a report. Above the shell sits a *guard*, a child subreaper that owns
//! every process the session starts, also those that changed their group or session; when the host closes the
//! session or dies, the guard's watcher kills them all. `docs/design/shell.md` tells why it is built this way.
//!
//! ```text
//! host ──control──> shell ──stdout/stderr──> host (bounded: unread output stops the writer)
//!   ▲ └─lifeline──> guard ◄─subreaper── all processes of the session
//!   └────report─────┘
//! ```

mod error;
mod frames;
mod script;

#[cfg(unix)]
mod engine;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod slab;
#[cfg(unix)]
mod stop;
#[cfg(unix)]
mod sys;

pub use error::ShellError;
#[cfg(unix)]
pub use process::ProcessInfo;
#[cfg(unix)]
pub use pty::{Pty, PtyEvent, PtyOptions};
#[cfg(unix)]
pub use session::{Event, Outcome, RunRequest, RunResult, Session, SessionOptions, ShellFate, Stream};
#[cfg(unix)]
pub use slab::{Chunk, Slab};
