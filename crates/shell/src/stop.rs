//! Stopping a command: ask, insist, end.
//!
//! SIGINT goes to every process the command has started, and the shell is told to save its state and end; that is
//! what stops the rest of the command's list, which killing the running program alone would not. After a grace
//! SIGTERM follows, after another SIGKILL, repeated until nothing is left, and last the shell itself.

use std::time::{Duration, Instant};

use crate::process::Identity;
use crate::session::{Outcome, Tree};
use crate::sys;

/// How often the tree is looked at while it is being stopped.
const TICK: Duration = Duration::from_millis(10);
/// How long the shell may live on after all it started was killed.
const SHELL_GRACE: Duration = Duration::from_millis(500);

/// A stop in progress.
pub struct Stop {
    pub outcome: Outcome,
    since: Instant,
    grace: Duration,
    signalled: Vec<(Identity, i32)>,
    asked_shell: bool,
}

impl Stop {
    /// Nothing is sent before the first [`Stop::advance`].
    pub fn new(outcome: Outcome, grace: Duration) -> Self {
        Self { outcome, since: Instant::now(), grace, signalled: Vec::new(), asked_shell: false }
    }

    /// Sends what is due. True once nothing that the command started is left (the shell aside).
    pub fn advance(&mut self, tree: &Tree) -> bool {
        let before = tree.before.as_deref().unwrap_or_default();
        let running: Vec<Identity> =
            tree.started_by_commands().into_iter().filter(|known| !before.contains(known)).collect();
        let elapsed = self.since.elapsed();
        let number = if elapsed >= self.grace * 2 {
            libc::SIGKILL
        } else if elapsed >= self.grace {
            libc::SIGTERM
        } else {
            libc::SIGINT
        };
        // The shell first: its trap must be pending when its child dies, or it would go on to the next command.
        if let Some(shell) = tree.shell {
            if !self.asked_shell {
                self.asked_shell = true;
                sys::signal(shell, cancel_signal());
                sys::signal(shell, libc::SIGCONT);
            }
            if elapsed >= self.grace * 2 + SHELL_GRACE {
                sys::signal(shell, libc::SIGKILL);
            }
        }
        for process in &running {
            if number == libc::SIGKILL || !self.signalled.contains(&(*process, number)) {
                self.signalled.push((*process, number));
                sys::signal(process.0, number);
                // A stopped process would not see a polite signal before it continues.
                if number != libc::SIGKILL {
                    sys::signal(process.0, libc::SIGCONT);
                }
            }
        }
        running.is_empty()
    }

    /// When to look again.
    pub fn next_look(&self) -> Duration {
        TICK
    }
}

/// The number of the signal that the prelude's trap waits for.
fn cancel_signal() -> i32 {
    #[cfg(target_os = "linux")]
    return libc::SIGRTMAX();
    #[cfg(not(target_os = "linux"))]
    return libc::SIGUSR2;
}
