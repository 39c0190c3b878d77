//! The handle of a session: what callers see.
//!
//! The work happens on one thread per session ([`crate::engine`]); the handle only sends it orders. Output and
//! results come back through the sink, on that thread, in the order in which a terminal would have shown them.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant};

use crate::engine;
use crate::error::ShellError;
use crate::process::{self, ProcessInfo};
use crate::script;
use crate::slab::{Chunk, Slab};
use crate::sys;

/// How a session is set up.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The bash to drive.
    pub bash: String,
    /// Put before the shell's command line, for example a sandbox.
    pub wrap: Vec<String>,
    /// Where the first command runs.
    pub cwd: PathBuf,
    /// The whole environment; `None` inherits.
    pub env: Option<Vec<(String, String)>>,
    /// Sourced by every new shell of the session.
    pub snapshot: Option<String>,
    /// A folder of this session's own, named `tenon-shell-…`; removed with the session.
    pub folder: PathBuf,
    /// Standard error on a pipe of its own: attributable, but no longer in the exact order.
    pub separate_stderr: bool,
    /// How long SIGINT, and after it SIGTERM, may take to work.
    pub grace: Duration,
}

/// Where a piece of output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Both streams in one, in the exact order.
    Merged,
    /// Standard output of a session with `separate_stderr`.
    Stdout,
    /// Standard error of a session with `separate_stderr`.
    Stderr,
}

/// How a command came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// By itself.
    Exited,
    /// By `cancel`.
    Cancelled,
    /// By its time limit.
    TimedOut,
}

/// What became of the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellFate {
    /// The next command runs in the same shell.
    Kept,
    /// It ended; the next one has its variables, functions, aliases, options and folder.
    Restored,
    /// It ended without leaving its state; the next one is new, in the folder of the last finished command.
    Fresh,
}

/// The result of one command.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// The exit status; `None` when the command was stopped.
    pub status: Option<i32>,
    pub outcome: Outcome,
    pub shell: ShellFate,
    /// The folder in which the next command will run.
    pub cwd: Vec<u8>,
    /// The command left a shell that reads commands and does not run them, as `set -n` does; it was ended.
    pub switched_off: bool,
}

/// What the sink receives.
#[derive(Debug)]
pub enum Event {
    /// Output of a command, or of background processes when `command` is 0. Drop the chunk to let more come.
    Output { command: u32, stream: Stream, chunk: Chunk },
    /// A command ended and all its output was delivered.
    Done { command: u32, result: RunResult },
    /// The session is over. Commands in flight end with this.
    Closed { reason: String },
}

/// One command to run.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The caller's number for this command; not 0.
    pub id: u32,
    pub command: Vec<u8>,
    /// Seen by this command only.
    pub env: Vec<(String, String)>,
    /// Enter this folder first, as `cd` would.
    pub cwd: Option<PathBuf>,
    pub timeout: Option<Duration>,
}

pub(crate) enum Order {
    Run(RunRequest),
    /// A command that the caller's thread has started itself.
    Adopt(Started),
    /// What did not fit into the control pipe at once.
    Text(Vec<u8>),
    Cancel(u32),
    Close,
}

/// A command that the shell has been told to run.
pub(crate) struct Started {
    pub id: u32,
    pub token: String,
    pub deadline: Option<Instant>,
}

/// State that both the handle and the engine look at.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    gate: Mutex<Gate>,
}

impl Shared {
    /// A panic while the gate was held is a defect elsewhere; the data in it is replaced at every step.
    pub fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What is needed to start a command from the caller's thread, which saves waking the engine first.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// The shell waits for a command and nothing is queued.
    pub idle: bool,
    pub control: Option<Arc<OwnedFd>>,
    pub driven: script::Driven,
    pub tree: Tree,
}

impl Gate {
    /// Builds the control text of a command and notes what was running before it.
    pub fn prepare(&mut self, request: &RunRequest) -> (Started, Vec<u8>) {
        self.idle = false;
        self.tree.before = Some(if self.tree.is_quiet() { Vec::new() } else { self.tree.started_by_commands() });
        let token = engine::random_token();
        let cwd = request.cwd.as_ref().map(|cwd| cwd.as_os_str().as_bytes());
        let text = script::command(&request.command, &request.env, cwd, &self.driven, &token);
        let deadline = request.timeout.and_then(|limit| Instant::now().checked_add(limit));
        (Started { id: request.id, token, deadline }, text)
    }
}

/// The processes that belong to the session's machinery, and those of the command in progress.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tree {
    pub guard: i32,
    pub watcher: i32,
    pub shell: Option<i32>,
    /// The shell and the sandbox around it. Noted while the shell lives: once it is gone nothing tells whose parents they
    /// are, and a wrapper that dies of a signal meant for commands would take the guard with it.
    pub machinery: Vec<i32>,
    /// Known while a command runs: what was there before it.
    pub before: Option<Vec<process::Identity>>,
    /// What the last shell left running. While there is no shell, whatever else is seen is the next one starting.
    pub left: Vec<process::Identity>,
    /// Views of the guard's and the shell's children.
    pub views: Option<Arc<(process::ChildrenView, process::ChildrenView)>>,
}

impl Tree {
    /// Notes a new shell, or that there is none.
    pub fn set_shell(&mut self, shell: Option<i32>) {
        if shell.is_none() && self.shell.is_some() {
            self.left = self.started_by_commands();
        }
        self.shell = shell;
        self.machinery = shell.map(|shell| process::chain(self.guard, shell)).unwrap_or_default();
        self.views = shell.and_then(|shell| {
            Some(Arc::new((process::ChildrenView::open(self.guard)?, process::ChildrenView::open(shell)?)))
        });
    }

    /// True when certainly nothing but the machinery runs.
    pub fn is_quiet(&self) -> bool {
        let (Some(shell), Some(views)) = (self.shell, &self.views) else { return false };
        views.0.is_exactly(&[self.watcher, shell]) && views.1.is_exactly(&[])
    }

    /// All processes below the guard that commands have started.
    pub fn started_by_commands(&self) -> Vec<process::Identity> {
        if self.guard == 0 {
            return Vec::new();
        }
        process::descendants(self.guard)
            .into_iter()
            .filter(|pid| *pid != self.watcher && !self.machinery.contains(pid))
            .filter_map(process::identity)
            .collect()
    }
}

/// A persistent shell. Dropping it closes it.
pub struct Session {
    orders: mpsc::Sender<Order>,
    slab: Arc<Slab>,
    shared: Arc<Shared>,
}

impl Session {
    /// Starts the guard, the shell and the thread that serves them. `sink` runs on that thread.
    pub fn open(options: SessionOptions, sink: impl FnMut(Event) + Send + 'static) -> Result<Self, ShellError> {
        let (orders, inbox) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let slab = engine::start(options, inbox, Arc::clone(&shared), Box::new(sink))?;
        Ok(Self { orders, slab, shared })
    }

    /// Queues a command. Its output and result come through the sink.
    pub fn run(&self, request: RunRequest) -> Result<(), ShellError> {
        script::check(&request.command, &request.env)?;
        if let Some(cwd) = &request.cwd {
            let path = || cwd.to_string_lossy().into_owned();
            let meta = std::fs::metadata(cwd).map_err(|source| ShellError::Folder { path: path(), source })?;
            if !meta.is_dir() {
                let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
                return Err(ShellError::Folder { path: path(), source });
            }
        }
        let mut gate = self.shared.gate();
        let Some(control) = gate.control.clone().filter(|_| gate.idle) else {
            drop(gate);
            return self.send(Order::Run(request));
        };
        // Started from here. The engine must hear of the command before the shell does, so the order goes first; it
        // is woken last, while the shell already works. The gate stays shut meanwhile: should the shell die just
        // now, the engine clears the control pipe after this text is in it, not before.
        let (started, mut text) = gate.prepare(&request);
        self.orders.send(Order::Adopt(started)).map_err(|_| ShellError::Closed)?;
        let sent = sys::write(&control, &text).map_err(|_| ShellError::Closed)?;
        if sent < text.len() {
            text.drain(..sent);
            self.orders.send(Order::Text(text)).map_err(|_| ShellError::Closed)?;
        }
        drop(gate);
        self.slab.wake();
        Ok(())
    }

    /// Stops the command, if it still runs: SIGINT, then SIGTERM, then SIGKILL to all it started.
    pub fn cancel(&self, id: u32) -> Result<(), ShellError> {
        self.send(Order::Cancel(id))
    }

    /// The memory in which output is handed over.
    pub fn slab(&self) -> &Arc<Slab> {
        &self.slab
    }

    /// Processes that outlived the command which started them.
    pub fn background(&self) -> Vec<ProcessInfo> {
        let tree = self.shared.gate().tree.clone();
        let all = tree.started_by_commands();
        all.iter()
            .filter(|known| tree.shell.is_some() || tree.left.contains(known))
            .filter(|known| tree.before.as_ref().is_none_or(|before| before.contains(known)))
            .filter_map(|(pid, _)| process::describe(*pid))
            .collect()
    }

    /// Signals one background process and everything below it; false when it is not one of this session.
    pub fn signal_background(&self, pid: i32, number: i32) -> bool {
        if !self.background().iter().any(|info| info.pid == pid) {
            return false;
        }
        let below = process::descendants(pid);
        sys::signal(pid, number);
        below.into_iter().for_each(|child| sys::signal(child, number));
        true
    }

    /// Ends the session and everything it started.
    pub fn close(&self) {
        // A closed inbox means that the engine has ended already.
        if self.orders.send(Order::Close).is_ok() {
            self.slab.wake();
        }
    }

    fn send(&self, order: Order) -> Result<(), ShellError> {
        self.orders.send(order).map_err(|_| ShellError::Closed)?;
        self.slab.wake();
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
    }
}
