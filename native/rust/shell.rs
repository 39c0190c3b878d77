//! Bindings of `tenon-shell`.
//!
//! A session outlives any one call and its output has no fixed size, so it does not go through the task wrapper
//! (which would hold one of libuv's four threads for as long as a command runs): each session has a thread of its
//! own that hands events to a thread-safe function. Output stays in the session's slab, which JavaScript sees as one
//! buffer: an event names a slot, JavaScript releases it when it has consumed it, and while no slot is free nothing
//! is read, so neither the function's queue nor the heap can grow. The function is weak, so that an idle session
//! does not keep the process alive; the adapter holds the process while a command runs.

#![cfg(unix)]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use napi::bindgen_prelude::*;
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use tenon_shell::{
    Chunk, Event, Outcome, Pty, PtyEvent, PtyOptions, RunRequest, Session, SessionOptions, ShellFate, Slab, Stream,
};

use crate::task::{failure, guard};

/// How a shell session is set up; see `native/src/shell/contract.ts`.
#[napi(object)]
pub struct ShellSessionOptions {
    pub bash: String,
    pub wrap: Vec<String>,
    pub cwd: String,
    pub env: Option<HashMap<String, String>>,
    pub snapshot: Option<String>,
    pub folder: String,
    pub separate_stderr: bool,
    pub grace_ms: u32,
}

/// One command for a shell session.
#[napi(object)]
pub struct ShellRunRequest {
    pub id: u32,
    pub command: String,
    pub env: Option<HashMap<String, String>>,
    pub cwd: Option<String>,
    pub timeout_ms: Option<u32>,
}

/// What a session tells: `output`, `done` or `closed`; for a terminal `output` or `exit`.
#[napi(object, object_from_js = false)]
pub struct ShellEvent {
    pub kind: &'static str,
    pub command: u32,
    pub stream: Option<&'static str>,
    /// Where the output lies in the slab: slot and length.
    pub slot: Option<u32>,
    pub length: Option<u32>,
    pub status: Option<i32>,
    pub outcome: Option<&'static str>,
    pub shell: Option<&'static str>,
    /// The folder of a finished command, or the reason of a closed session.
    pub text: Option<String>,
    /// The command left a shell that runs nothing any more.
    pub switched_off: Option<bool>,
}

/// A process that outlived its command.
#[napi(object)]
pub struct ShellProcess {
    pub pid: i32,
    pub command: String,
}

/// How a terminal is set up.
#[napi(object)]
pub struct ShellPtyOptions {
    pub bash: String,
    pub program: Vec<String>,
    pub cwd: String,
    pub env: Option<HashMap<String, String>>,
    pub columns: u16,
    pub rows: u16,
}

fn event(kind: &'static str, command: u32) -> ShellEvent {
    ShellEvent {
        kind,
        command,
        stream: None,
        slot: None,
        length: None,
        status: None,
        outcome: None,
        shell: None,
        text: None,
        switched_off: None,
    }
}

/// Chunks that JavaScript looks at, by slot, until it releases them.
#[derive(Clone, Default)]
struct Lent(Arc<Mutex<HashMap<u32, Chunk>>>);

impl Lent {
    fn lend(&self, chunk: Chunk, event: ShellEvent) -> ShellEvent {
        let (slot, length) = (chunk.slot(), chunk.len());
        self.lock().insert(slot, chunk);
        ShellEvent { slot: Some(slot), length: u32::try_from(length).ok(), ..event }
    }

    fn release(&self, slot: u32) {
        self.lock().remove(&slot);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Chunk>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The slab as one buffer. It lives as long as JavaScript or the session's thread needs it.
fn slab_buffer<'env>(env: &'env Env, slab: &Arc<Slab>) -> Result<BufferSlice<'env>> {
    let (memory, length) = slab.memory();
    // SAFETY: the memory belongs to the slab, which the finalizer's own reference keeps alive. JavaScript only looks
    // at slots that were lent to it, and the session's thread does not write to those.
    unsafe { BufferSlice::from_external(env, memory, length, Arc::clone(slab), |_, slab| drop(slab)) }
}

fn session_event(lent: &Lent, from: Event) -> ShellEvent {
    match from {
        Event::Output { command, stream, chunk } => {
            let stream = Some(match stream {
                Stream::Merged => "merged",
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            });
            lent.lend(chunk, ShellEvent { stream, ..event("output", command) })
        }
        Event::Done { command, result } => ShellEvent {
            status: result.status,
            outcome: Some(match result.outcome {
                Outcome::Exited => "exited",
                Outcome::Cancelled => "cancelled",
                Outcome::TimedOut => "timed-out",
            }),
            shell: Some(match result.shell {
                ShellFate::Kept => "kept",
                ShellFate::Restored => "restored",
                ShellFate::Fresh => "fresh",
            }),
            text: Some(String::from_utf8_lossy(&result.cwd).into_owned()),
            switched_off: result.switched_off.then_some(true),
            ..event("done", command)
        },
        Event::Closed { reason } => ShellEvent { text: Some(reason), ..event("closed", 0) },
    }
}

fn pairs(env: Option<HashMap<String, String>>) -> Option<Vec<(String, String)>> {
    env.map(|env| env.into_iter().collect())
}

/// A persistent shell. Output and results arrive through the callback given at the start.
#[napi]
pub struct NativeShellSession {
    session: Session,
    lent: Lent,
}

#[napi]
impl NativeShellSession {
    #[napi(constructor)]
    pub fn new(options: ShellSessionOptions, on_event: Function<ShellEvent, ()>) -> Result<Self> {
        let send = on_event.build_threadsafe_function().weak::<true>().build()?;
        let options = SessionOptions {
            bash: options.bash,
            wrap: options.wrap,
            cwd: PathBuf::from(options.cwd),
            env: pairs(options.env),
            snapshot: options.snapshot,
            folder: PathBuf::from(options.folder),
            separate_stderr: options.separate_stderr,
            grace: Duration::from_millis(u64::from(options.grace_ms)),
        };
        guard("openSession", || {
            let lent = Lent::default();
            let lender = lent.clone();
            let session = Session::open(options, move |from| {
                // Only refused while the process shuts down, when nobody listens any more.
                let _ = send.call(session_event(&lender, from), ThreadsafeFunctionCallMode::NonBlocking);
            });
            Ok(Self { session: session.map_err(failure)?, lent })
        })
    }

    #[napi]
    pub fn run(&self, request: ShellRunRequest) -> Result<()> {
        let request = RunRequest {
            id: request.id,
            command: request.command.into_bytes(),
            env: pairs(request.env).unwrap_or_default(),
            cwd: request.cwd.map(PathBuf::from),
            timeout: request.timeout_ms.map(|limit| Duration::from_millis(u64::from(limit))),
        };
        guard("run", || self.session.run(request).map_err(failure))
    }

    #[napi]
    pub fn cancel(&self, id: u32) -> Result<()> {
        guard("cancel", || self.session.cancel(id).map_err(failure))
    }

    /// The memory of all output; slots are `slotBytes` long.
    #[napi]
    pub fn slab<'env>(&self, env: &'env Env) -> Result<BufferSlice<'env>> {
        slab_buffer(env, self.session.slab())
    }

    #[napi]
    pub fn slot_bytes(&self) -> u32 {
        u32::try_from(self.session.slab().slot_bytes()).unwrap_or(0)
    }

    /// Gives a slot back, which lets more output come.
    #[napi]
    pub fn release(&self, slot: u32) {
        self.lent.release(slot);
    }

    #[napi]
    pub fn background(&self) -> Result<Vec<ShellProcess>> {
        guard("background", || {
            let listed = self.session.background().into_iter();
            Ok(listed.map(|process| ShellProcess { pid: process.pid, command: process.command }).collect())
        })
    }

    #[napi]
    pub fn signal_background(&self, pid: i32, signal: i32) -> Result<bool> {
        guard("signalBackground", || Ok(self.session.signal_background(pid, signal)))
    }

    #[napi]
    pub fn close(&self) {
        self.session.close();
    }
}

/// A program on a terminal of its own.
#[napi]
pub struct NativePty {
    pty: Pty,
    lent: Lent,
}

#[napi]
impl NativePty {
    #[napi(constructor)]
    pub fn new(options: ShellPtyOptions, on_event: Function<ShellEvent, ()>) -> Result<Self> {
        let send = on_event.build_threadsafe_function().weak::<true>().build()?;
        let options = PtyOptions {
            bash: options.bash,
            program: options.program,
            cwd: PathBuf::from(options.cwd),
            env: pairs(options.env),
            columns: options.columns,
            rows: options.rows,
        };
        guard("openPty", || {
            let lent = Lent::default();
            let lender = lent.clone();
            let pty = Pty::open(options, move |from| {
                let told = match from {
                    PtyEvent::Output(chunk) => lender.lend(chunk, event("output", 0)),
                    PtyEvent::Exit(status) => ShellEvent { status, ..event("exit", 0) },
                };
                // Only refused while the process shuts down, when nobody listens any more.
                let _ = send.call(told, ThreadsafeFunctionCallMode::NonBlocking);
            });
            Ok(Self { pty: pty.map_err(failure)?, lent })
        })
    }

    #[napi]
    pub fn write(&self, data: Uint8Array) -> bool {
        self.pty.write(&data)
    }

    #[napi]
    pub fn resize(&self, columns: u16, rows: u16) -> Result<()> {
        guard("resize", || self.pty.resize(columns, rows).map_err(failure))
    }

    #[napi]
    pub fn signal(&self, signal: i32) -> Result<()> {
        guard("signal", || {
            self.pty.signal(signal);
            Ok(())
        })
    }

    /// The memory of all output; slots are `slotBytes` long.
    #[napi]
    pub fn slab<'env>(&self, env: &'env Env) -> Result<BufferSlice<'env>> {
        slab_buffer(env, self.pty.slab())
    }

    #[napi]
    pub fn slot_bytes(&self) -> u32 {
        u32::try_from(self.pty.slab().slot_bytes()).unwrap_or(0)
    }

    /// Gives a slot back, which lets more output come.
    #[napi]
    pub fn release(&self, slot: u32) {
        self.lent.release(slot);
    }

    #[napi]
    pub fn close(&self) {
        self.pty.close();
    }
}
