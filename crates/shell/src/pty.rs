//! A program on a terminal of its own.
//!
//! The guard becomes the session leader with the new terminal as its controlling terminal and runs the program in
//! the foreground, so that Ctrl-C and window changes reach the program as from a real terminal. When the program
//! ends, the lifeline is cut: what it left running goes with the terminal, and the last output arrives before the
//! terminal reports its end.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::error::ShellError;
use crate::frames::{Frame, FrameReader};
use crate::guard::{self, GuardPlan};
use crate::process;
use crate::slab::{Chunk, Slab};
use crate::sys::{self, Interest};

/// Terminals are read by people and emulators, so their output memory is small.
const SLOTS: u32 = 8;
const SLOT_BYTES: usize = 16 << 10;
/// How long the terminal may stay open after its program and guard are gone.
const DRAIN_PATIENCE: Duration = Duration::from_secs(3);

/// How a terminal is set up.
#[derive(Debug, Clone)]
pub struct PtyOptions {
    pub bash: String,
    /// The program and its arguments.
    pub program: Vec<String>,
    pub cwd: PathBuf,
    pub env: Option<Vec<(String, String)>>,
    pub columns: u16,
    pub rows: u16,
}

/// What the sink receives.
#[derive(Debug)]
pub enum PtyEvent {
    /// Raw terminal output. Drop the chunk to let more come.
    Output(Chunk),
    /// The program ended: its status, or 128 plus the signal; `None` when it was closed from outside.
    Exit(Option<i32>),
}

/// A running terminal. Dropping it closes it.
pub struct Pty {
    shared: Arc<Shared>,
}

struct Shared {
    master: OwnedFd,
    slab: Arc<Slab>,
    closing: AtomicBool,
    guard: i32,
    watcher: AtomicI32,
    input: Mutex<Vec<u8>>,
}

impl Pty {
    /// Starts the program. `sink` runs on the terminal's thread.
    pub fn open(options: PtyOptions, sink: impl FnMut(PtyEvent) + Send + 'static) -> Result<Self, ShellError> {
        let setup = |what: &'static str| move |source| ShellError::Setup { what, source };
        let source = |path: &PathBuf| {
            fs::metadata(path).and_then(|meta| match meta.is_dir() {
                true => Ok(()),
                false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
            })
        };
        source(&options.cwd)
            .map_err(|source| ShellError::Folder { path: options.cwd.to_string_lossy().into_owned(), source })?;
        let (master, terminal) = open_terminal(options.columns, options.rows).map_err(setup("a terminal"))?;
        let (wake_read, wake) = sys::pipe().map_err(setup("a pipe"))?;
        let (lifeline_read, lifeline) = sys::pipe().map_err(setup("a pipe"))?;
        let (news, news_write) = sys::pipe().map_err(setup("a pipe"))?;
        for fd in [&master, &wake_read, &wake, &news] {
            sys::set_nonblocking(fd).map_err(setup("a pipe"))?;
        }
        let marker = format!("{:016x}", RandomState::new().build_hasher().finish());
        let child = guard::start(GuardPlan {
            mode: "pty",
            bash: &options.bash,
            folder: std::path::Path::new(""),
            marker: &marker,
            program: &options.program,
            env: options.env.as_deref(),
            cwd: &options.cwd,
            fds: vec![(lifeline_read, guard::LIFELINE), (news_write, guard::NEWS)],
            terminal: Some(terminal),
        })?;
        let shared = Arc::new(Shared {
            master,
            slab: Slab::new(SLOTS, SLOT_BYTES, wake),
            closing: AtomicBool::new(false),
            guard: i32::try_from(child.id()).unwrap_or(0),
            watcher: AtomicI32::new(0),
            input: Mutex::new(Vec::new()),
        });
        let mut server = Server {
            shared: Arc::clone(&shared),
            sink: Box::new(sink),
            wake: wake_read,
            lifeline: Some(lifeline),
            news,
            frames: FrameReader::default(),
            child,
            status: None,
            ended_at: None,
        };
        std::thread::Builder::new()
            .name("tenon-pty".to_owned())
            .spawn(move || server.serve())
            .map_err(setup("the terminal's thread"))?;
        Ok(Self { shared })
    }

    /// Types into the terminal. False when the program does not read and the backlog is full.
    pub fn write(&self, bytes: &[u8]) -> bool {
        let Ok(mut input) = self.shared.input.lock() else { return false };
        if input.len() + bytes.len() > (1 << 20) {
            return false;
        }
        input.extend_from_slice(bytes);
        drop(input);
        self.wake();
        true
    }

    /// Tells the program about a new window size.
    pub fn resize(&self, columns: u16, rows: u16) -> Result<(), ShellError> {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: TIOCSWINSZ reads one winsize.
        sys::check(unsafe { libc::ioctl(self.shared.master.as_raw_fd(), libc::TIOCSWINSZ, &size) })
            .map_err(|source| ShellError::Setup { what: "the terminal's new size", source })
    }

    /// Signals everything that runs on the terminal.
    pub fn signal(&self, number: i32) {
        let watcher = self.shared.watcher.load(Ordering::Acquire);
        for pid in process::descendants(self.shared.guard) {
            if pid != watcher {
                sys::signal(pid, number);
            }
        }
    }

    /// The memory in which output is handed over.
    pub fn slab(&self) -> &Arc<Slab> {
        &self.shared.slab
    }

    /// Ends the program and everything it started.
    pub fn close(&self) {
        self.shared.closing.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        self.shared.slab.wake();
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.close();
    }
}

struct Server {
    shared: Arc<Shared>,
    sink: Box<dyn FnMut(PtyEvent) + Send>,
    wake: OwnedFd,
    lifeline: Option<OwnedFd>,
    news: OwnedFd,
    frames: FrameReader,
    child: Child,
    status: Option<i32>,
    ended_at: Option<Instant>,
}

impl Server {
    fn serve(&mut self) {
        while self.turn() {}
        self.lifeline = None;
        let deadline = Instant::now() + DRAIN_PATIENCE;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        (self.sink)(PtyEvent::Exit(self.status));
    }

    /// One round; false when the terminal is over.
    fn turn(&mut self) -> bool {
        let open_window = self.shared.slab.has_room();
        let wants_write = self.shared.input.lock().is_ok_and(|input| !input.is_empty());
        let mut interests = vec![Interest::read(self.wake.as_fd())];
        if self.ended_at.is_none() {
            interests.push(Interest::read(self.news.as_fd()));
        }
        let output_at = interests.len();
        if open_window {
            interests.push(Interest::read(self.shared.master.as_fd()));
        }
        if wants_write {
            interests.push(Interest::write(self.shared.master.as_fd()));
        }
        let limit = self.ended_at.map(|_| Duration::from_millis(100));
        let Ok(ready) = sys::poll(&interests, limit) else { return false };
        let mut scratch = [0; 64];
        while let Ok(Some(64)) = sys::read(&self.wake, &mut scratch) {}
        if self.shared.closing.load(Ordering::Acquire) {
            return false;
        }
        self.type_input();
        let open = !(open_window && ready[output_at]) || self.read_output();
        if self.ended_at.is_none() {
            self.read_news();
        }
        open && self.ended_at.is_none_or(|at| !open_window || at.elapsed() < DRAIN_PATIENCE)
    }

    fn type_input(&self) {
        let Ok(mut input) = self.shared.input.lock() else { return };
        while !input.is_empty() {
            match sys::write(&self.shared.master, &input) {
                Ok(0) => return,
                Ok(count) => drop(input.drain(..count)),
                // The terminal is gone; so is whoever would have read this.
                Err(_) => return input.clear(),
            }
        }
    }

    /// False once every program on the terminal has closed it (Linux says so with EIO).
    fn read_output(&mut self) -> bool {
        match self.shared.slab.read(&self.shared.master, SLOT_BYTES) {
            Err(_) => false,
            Ok(None) => true,
            Ok(Some(chunk)) if chunk.is_empty() => false,
            Ok(Some(chunk)) => {
                (self.sink)(PtyEvent::Output(chunk));
                true
            }
        }
    }

    fn read_news(&mut self) {
        let mut scratch = [0; 512];
        while let Ok(Some(count)) = sys::read(&self.news, &mut scratch) {
            if count == 0 {
                self.ended_at = Some(Instant::now());
                self.lifeline = None;
                return;
            }
            for frame in self.frames.push(&scratch[..count]) {
                match frame {
                    Frame::Guard { watcher, .. } => self.shared.watcher.store(watcher, Ordering::Release),
                    Frame::ShellEnded { status } => {
                        self.status = Some(status);
                        self.ended_at = Some(Instant::now());
                        self.lifeline = None;
                    }
                    _ => {}
                }
            }
        }
    }
}

fn open_terminal(columns: u16, rows: u16) -> io::Result<(OwnedFd, OwnedFd)> {
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut master, mut terminal) = (0, 0);
    // SAFETY: the first two point to integers for the call to fill, null asks for defaults, `size` is read.
    let made = unsafe {
        libc::openpty(
            &mut master,
            &mut terminal,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            (&raw const size).cast_mut(),
        )
    };
    sys::check(made)?;
    // SAFETY: both descriptors are new and owned by nobody else.
    let (master, terminal) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(terminal)) };
    sys::set_cloexec(&master)?;
    sys::set_cloexec(&terminal)?;
    Ok((master, terminal))
}
