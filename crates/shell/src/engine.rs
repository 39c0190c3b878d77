//! The thread behind a session: one loop over the session's pipes.
//!
//! It never waits for anything but `poll`, so a cancel or a time limit is heard also while output is paused. The
//! end of a command is the shell's report; at that moment everything the command wrote is in the pipes already,
//! so exactly that many bytes are delivered before the result, and a background process that goes on writing
//! cannot keep the command open. Output is read into a [`Slab`] of fixed size; while it is full nothing is read.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::error::ShellError;
use crate::frames::{Frame, FrameReader};
use crate::guard::{self, GuardPlan};
use crate::process;
use crate::script;
use crate::session::{
    Event, Order, Outcome, RunRequest, RunResult, SessionOptions, Shared, ShellFate, Started, Stream,
};
use crate::slab::Slab;
use crate::stop::Stop;
use crate::sys::{self, Interest};

/// Slots are as large as the writes of common tools, the pipe holds a few of them: a fast writer costs few wake-ups.
const SLOTS: u32 = 8;
const SLOT_BYTES: usize = 128 << 10;
const PIPE_BYTES: i32 = 512 << 10;
/// A shell that cannot even start is not tried for ever, but a sandbox on a busy machine may lack something for a moment.
const START_ATTEMPTS: u32 = 4;
const START_PAUSE: Duration = Duration::from_millis(50);
/// How long the thread stays awake for a command's first sign of life.
const SPIN: Duration = Duration::from_micros(80);
/// How long a silent shell is left alone before it is looked at, at first and at most.
const FIRST_LOOK: Duration = Duration::from_millis(50);
const LATEST_LOOK: Duration = Duration::from_secs(1);
/// The grace of a shell that runs nothing: there is nothing it could finish.
const SILENT_GRACE: Duration = Duration::from_millis(50);
/// How long the guard may take to end after its lifeline was cut.
const GUARD_PATIENCE: Duration = Duration::from_secs(3);

type Sink = Box<dyn FnMut(Event) + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shell {
    Down,
    Starting,
    Ready,
}

struct Active {
    started: Started,
    since: Instant,
    stop: Option<Stop>,
    /// Status and fate, once known.
    ended: Option<(i32, ShellFate)>,
    /// Bytes of stdout and stderr that still belong to the command, once it has ended.
    owed: Option<[usize; 2]>,
    silence: Silence,
}

/// A shell that has read the end of a command, and does not report it, is asked twice. What it reads in order it runs
/// in order: once it has read the second question without an answer, it runs nothing any more.
struct Silence {
    look_at: Instant,
    pause: Duration,
    asked: u8,
    switched_off: bool,
}

impl Silence {
    fn new() -> Self {
        Self { look_at: Instant::now() + FIRST_LOOK, pause: FIRST_LOOK, asked: 0, switched_off: false }
    }

    fn look_again_after(&mut self, pause: Duration) {
        self.pause = pause.min(LATEST_LOOK);
        self.look_at = Instant::now() + self.pause;
    }
}

struct Engine {
    options: SessionOptions,
    inbox: mpsc::Receiver<Order>,
    shared: Arc<Shared>,
    sink: Sink,
    slab: Arc<Slab>,
    wake: OwnedFd,
    lifeline: Option<OwnedFd>,
    launch: Option<OwnedFd>,
    news: OwnedFd,
    control: Arc<OwnedFd>,
    /// The shell's end of the control pipe, kept to throw away what an ended shell has not read.
    control_reader: OwnedFd,
    report: OwnedFd,
    outputs: Vec<(OwnedFd, Stream)>,
    guard: Child,
    news_frames: FrameReader,
    report_frames: FrameReader,
    unsent: VecDeque<u8>,
    shell: Shell,
    failed_starts: u32,
    state: Option<Vec<u8>>,
    cwd: Vec<u8>,
    queue: VecDeque<RunRequest>,
    active: Option<Active>,
    closing: Option<String>,
    /// What the shell's standard streams are when no command has redirected them.
    streams: Option<[PathBuf; 3]>,
}

/// Starts guard and thread; the answer is the memory for output, which also wakes the thread.
pub fn start(
    options: SessionOptions,
    inbox: mpsc::Receiver<Order>,
    shared: Arc<Shared>,
    sink: Sink,
) -> Result<Arc<Slab>, ShellError> {
    let setup = |what: &'static str| move |source| ShellError::Setup { what, source };
    let pipe = || sys::pipe().map_err(setup("a pipe"));
    let (wake_read, wake) = pipe()?;
    let (lifeline_read, lifeline) = pipe()?;
    let (launch_read, launch) = pipe()?;
    let (news, news_write) = pipe()?;
    let (control_read, control) = pipe()?;
    let (report, report_write) = pipe()?;
    let (out, out_write) = pipe()?;
    sys::widen_pipe(&out, PIPE_BYTES);
    let control_reader = control_read.try_clone().map_err(setup("a pipe"))?;
    let stdin = fs::File::open("/dev/null").map_err(setup("standard input"))?;
    let mut outputs = vec![(out, Stream::Merged)];
    let err_write = if options.separate_stderr {
        let (err, err_write) = pipe()?;
        sys::widen_pipe(&err, PIPE_BYTES);
        outputs[0].1 = Stream::Stdout;
        outputs.push((err, Stream::Stderr));
        err_write
    } else {
        out_write.try_clone().map_err(setup("a pipe"))?
    };
    // The host's ends only: the flag lives in the open file, and control's reader is shared with nobody who waits
    // (the shell opens the pipe anew by its name).
    for fd in [&wake_read, &wake, &news, &control, &control_reader, &report] {
        sys::set_nonblocking(fd).map_err(setup("a pipe"))?;
    }
    for (fd, _) in &outputs {
        sys::set_nonblocking(fd).map_err(setup("a pipe"))?;
    }
    make_folder(&options.folder).map_err(setup("the session's folder"))?;
    let mut program = options.wrap.clone();
    program.extend([&options.bash, "--noprofile", "--norc", "bash"].map(str::to_owned));
    let guard = guard::start(GuardPlan {
        mode: "session",
        bash: &options.bash,
        folder: &options.folder,
        marker: &random_token(),
        program: &program,
        env: options.env.as_deref(),
        cwd: Path::new("/"),
        fds: vec![
            (lifeline_read, guard::LIFELINE),
            (launch_read, guard::LAUNCH),
            (news_write, guard::NEWS),
            (control_read, guard::CONTROL),
            (report_write, guard::REPORT),
            (stdin.into(), guard::SHELL_STDIN),
            (out_write, guard::SHELL_STDOUT),
            (err_write, guard::SHELL_STDERR),
        ],
        terminal: None,
    })
    .inspect_err(|_| drop(fs::remove_dir_all(&options.folder)))?;
    let cwd = options.cwd.as_os_str().as_bytes().to_vec();
    let slab = Slab::new(SLOTS, SLOT_BYTES, wake);
    let control = Arc::new(control);
    shared.gate().control = Some(Arc::clone(&control));
    let mut engine = Engine {
        options,
        inbox,
        shared,
        sink,
        slab: Arc::clone(&slab),
        wake: wake_read,
        lifeline: Some(lifeline),
        launch: Some(launch),
        news,
        control,
        control_reader,
        report,
        outputs,
        guard,
        news_frames: FrameReader::default(),
        report_frames: FrameReader::default(),
        unsent: VecDeque::new(),
        shell: Shell::Down,
        failed_starts: 0,
        state: None,
        cwd,
        queue: VecDeque::new(),
        active: None,
        closing: None,
        streams: None,
    };
    std::thread::Builder::new()
        .name("tenon-shell".to_owned())
        .spawn(move || engine.serve())
        .map_err(setup("the session's thread"))?;
    Ok(slab)
}

/// The shell runs a "script" named bash in this folder, so that its messages read `bash: line 1: …`.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::os::unix::fs::symlink(format!("/dev/fd/{}", guard::CONTROL), folder.join("bash"))
}

/// Unguessable, and short: the shell reads it byte by byte.
pub fn random_token() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    // Each RandomState is keyed from the system's generator.
    let mut random = RandomState::new().build_hasher().finish();
    let mut letter = || {
        random >>= 5;
        char::from(LETTERS[(random & 31) as usize])
    };
    (0..8).map(|_| letter()).collect()
}

impl Engine {
    fn serve(&mut self) {
        self.launch_shell();
        let reason = loop {
            if let Some(reason) = self.turn() {
                break reason;
            }
        };
        self.shut_down();
        (self.sink)(Event::Closed { reason });
    }

    /// One round of the loop; a reason ends the session.
    fn turn(&mut self) -> Option<String> {
        if let Some(reason) = self.closing.take().or_else(|| self.take_orders()) {
            return Some(reason);
        }
        self.begin_next();
        self.push_control();
        if let Err(error) = self.wait() {
            return Some(format!("waiting for the shell failed: {error}"));
        }
        self.read_reports();
        let reason = self.read_news();
        self.keep_time();
        self.listen_to_silence();
        self.finish();
        reason
    }

    fn take_orders(&mut self) -> Option<String> {
        loop {
            match self.inbox.try_recv() {
                Ok(Order::Run(request)) => {
                    self.shared.gate().idle = false;
                    self.queue.push_back(request);
                }
                Ok(Order::Adopt(started)) => self.adopt(started),
                Ok(Order::Text(text)) => self.unsent.extend(text),
                Ok(Order::Cancel(id)) => self.stop(id, Outcome::Cancelled),
                Ok(Order::Close) | Err(mpsc::TryRecvError::Disconnected) => {
                    return Some("the session was closed".to_owned());
                }
                Err(mpsc::TryRecvError::Empty) => return None,
            }
        }
    }

    fn adopt(&mut self, started: Started) {
        let silence = Silence::new();
        self.active = Some(Active { started, since: Instant::now(), stop: None, ended: None, owed: None, silence });
    }

    fn wait(&mut self) -> std::io::Result<()> {
        let room = self.slab.has_room();
        let mut interests = vec![
            Interest::read(self.wake.as_fd()),
            Interest::read(self.news.as_fd()),
            Interest::read(self.report.as_fd()),
        ];
        if room {
            interests.extend(self.outputs.iter().map(|(fd, _)| Interest::read(fd.as_fd())));
        }
        if !self.unsent.is_empty() {
            interests.push(Interest::write(self.control.as_fd()));
        }
        let mut ready = sys::poll(&interests, Some(Duration::ZERO))?;
        while !ready.contains(&true) && self.expects_answer_soon() {
            // On a busy machine the shell may be waiting for this very core.
            std::thread::yield_now();
            ready = sys::poll(&interests, Some(Duration::ZERO))?;
        }
        if !ready.contains(&true) {
            ready = sys::poll(&interests, self.patience())?;
        }
        if ready[0] {
            // Draining all wake-ups at once: each only says "look again".
            let mut scratch = [0; 64];
            while let Ok(Some(64)) = sys::read(&self.wake, &mut scratch) {}
        }
        // A command started by the caller's thread is in the inbox before its first output is in a pipe; reading
        // the inbox between poll and pipes therefore attributes the output rightly.
        self.closing = self.closing.take().or_else(|| self.take_orders());
        if room {
            for index in 0..self.outputs.len() {
                if ready[3 + index] {
                    self.read_output(index);
                }
            }
        }
        Ok(())
    }

    /// Most commands that answer at all quickly do so within microseconds; being awake then saves a wake-up.
    fn expects_answer_soon(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.ended.is_none() && active.since.elapsed() < SPIN)
    }

    fn patience(&self) -> Option<Duration> {
        let active = self.active.as_ref()?;
        if let Some(stop) = &active.stop {
            return Some(stop.next_look());
        }
        if active.ended.is_some() {
            return None;
        }
        let next = active.started.deadline.map_or(active.silence.look_at, |at| at.min(active.silence.look_at));
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Ends a shell that reads and runs nothing (`set -n`, a DEBUG trap under `extdebug`, a stolen control line).
    fn listen_to_silence(&mut self) {
        let Some(active) = self.active.as_mut() else { return };
        let is_settled = active.stop.is_some() || active.ended.is_some();
        if is_settled || self.shell != Shell::Ready || Instant::now() < active.silence.look_at {
            return;
        }
        // A command has stopped its own shell (`kill -STOP $$`, `suspend -f`): nobody else would ever continue it.
        if let Some(shell) = self.shared.gate().tree.shell.filter(|shell| process::is_stopped(*shell)) {
            sys::signal(shell, libc::SIGCONT);
            return active.silence.look_again_after(active.silence.pause * 2);
        }
        if !self.unsent.is_empty() || sys::readable_bytes(&self.control_reader) > 0 {
            // It has not read the end of the command: it is at work.
            return active.silence.look_again_after(active.silence.pause * 2);
        }
        self.read_reports();
        let Some(active) = self.active.as_mut().filter(|active| active.ended.is_none()) else { return };
        active.silence.look_again_after(FIRST_LOOK);
        active.silence.asked += 1;
        match active.silence.asked {
            1 => self.unsent.extend(script::probe(&active.started.token)),
            2 => self.unsent.push_back(b'\n'),
            _ => {
                active.silence.switched_off = true;
                active.stop = Some(Stop::new(Outcome::Exited, SILENT_GRACE));
                // It may still run what it reads, and only be unable to report: then its state is not lost.
                self.unsent.extend(script::FAREWELL);
            }
        }
        self.push_control();
    }

    fn launch_shell(&mut self) {
        self.shell = Shell::Starting;
        self.unsent.extend(script::prelude());
        if let Some(launch) = &self.launch {
            // Fails only when the guard is gone, which its closed news pipe tells in the same round.
            let _ = sys::write(launch, b"\n");
        }
    }

    fn begin_next(&mut self) {
        if self.active.is_some() || self.queue.is_empty() {
            return;
        }
        match self.shell {
            Shell::Down => return self.launch_shell(),
            Shell::Starting => return,
            Shell::Ready => {}
        }
        let Some(request) = self.queue.pop_front() else { return };
        let (started, text) = self.shared.gate().prepare(&request);
        self.unsent.extend(text);
        self.adopt(started);
    }

    fn push_control(&mut self) {
        while !self.unsent.is_empty() {
            let (head, _) = self.unsent.as_slices();
            match sys::write(&self.control, head) {
                Ok(0) => return,
                Ok(count) => drop(self.unsent.drain(..count)),
                // Only when the guard is gone; its news pipe tells.
                Err(_) => return self.unsent.clear(),
            }
        }
    }

    fn stop(&mut self, id: u32, outcome: Outcome) {
        if let Some(active) = self.active.as_mut().filter(|active| active.started.id == id) {
            if active.stop.is_none() && active.ended.is_none() {
                active.stop = Some(Stop::new(outcome, self.options.grace));
            }
        } else if let Some(place) = self.queue.iter().position(|request| request.id == id) {
            self.queue.remove(place);
            let cwd = self.cwd.clone();
            let result = RunResult { status: None, outcome, shell: ShellFate::Kept, cwd, switched_off: false };
            (self.sink)(Event::Done { command: id, result });
        }
    }

    fn keep_time(&mut self) {
        let due = self.active.as_ref().filter(|active| {
            let late = active.started.deadline.is_some_and(|at| at <= Instant::now());
            late && active.ended.is_none() && active.stop.is_none()
        });
        if let Some(id) = due.map(|active| active.started.id) {
            self.stop(id, Outcome::TimedOut);
        }
    }

    fn read_output(&mut self, index: usize) {
        let owed = self.active.as_ref().and_then(|active| active.owed.as_ref().map(|owed| owed[index]));
        let limit = owed.filter(|owed| *owed > 0).unwrap_or(SLOT_BYTES);
        let (fd, stream) = &self.outputs[index];
        let Ok(Some(chunk)) = self.slab.read(fd, limit) else { return };
        let belongs = owed.is_none_or(|owed| owed > 0);
        let command = self.active.as_ref().filter(|_| belongs).map_or(0, |active| active.started.id);
        if let Some(owed) = self.active.as_mut().and_then(|active| active.owed.as_mut()) {
            owed[index] = owed[index].saturating_sub(chunk.len());
        }
        (self.sink)(Event::Output { command, stream: *stream, chunk });
    }

    fn read_reports(&mut self) {
        let mut scratch = [0; 4096];
        while let Ok(Some(count)) = sys::read(&self.report, &mut scratch) {
            for frame in self.report_frames.push(&scratch[..count]) {
                match frame {
                    Frame::Ready { pid, bulk } => self.settle_shell(pid, bulk),
                    Frame::End { token, status, cwd, options } => self.command_ended(&token, status, cwd, &options),
                    Frame::State { cwd, text } => {
                        self.cwd = cwd;
                        self.state = Some(text);
                    }
                    Frame::Guard { .. } | Frame::ShellEnded { .. } => {}
                }
            }
            if count < scratch.len() {
                break;
            }
        }
    }

    fn settle_shell(&mut self, pid: i32, bulk: bool) {
        if self.shell != Shell::Starting {
            return;
        }
        let mut gate = self.shared.gate();
        (gate.driven.bulk, gate.driven.verbose) = (bulk, false);
        let shell = process::find_inner(gate.tree.guard, pid);
        gate.tree.set_shell(shell);
        drop(gate);
        let cwd = nearest_folder(&self.cwd);
        let snapshot = self.options.snapshot.as_ref().map(String::as_bytes);
        let state = self.state.take();
        self.unsent.extend(script::settle(snapshot, state.as_deref(), &cwd, bulk));
        self.push_control();
    }

    fn command_ended(&mut self, token: &[u8], status: i32, cwd: Vec<u8>, options: &[u8]) {
        let (tracing, verbose) = (options.contains(&b'x'), options.contains(&b'v'));
        if self.shell == Shell::Starting && token == b"ready" {
            self.shell = Shell::Ready;
            self.failed_starts = 0;
            self.cwd = cwd;
            self.streams = self.shared.gate().tree.shell.and_then(process::streams);
            self.open_gate();
            return;
        }
        let Some(active) = self.active.as_mut().filter(|active| active.started.token.as_bytes() == token) else {
            return;
        };
        self.cwd = cwd;
        {
            let driven = &mut self.shared.gate().driven;
            (driven.status, driven.verbose) = (status, verbose);
        }
        // A stop that was already sent ends the shell as well: its end is the command's end.
        if active.stop.is_none() {
            active.ended = Some((status, ShellFate::Kept));
            // What was kept before a dangerous command is out of date now.
            self.state = None;
            // Looking costs the shell nothing, and it rarely has to do anything.
            if self.streams.is_none() || self.streams != self.shared.gate().tree.shell.and_then(process::streams) {
                self.unsent.extend(script::restore_streams(tracing));
            }
        }
    }

    /// News of the guard; a reason when the session cannot go on.
    fn read_news(&mut self) -> Option<String> {
        let mut scratch = [0; 512];
        while let Ok(Some(count)) = sys::read(&self.news, &mut scratch) {
            if count == 0 {
                return Some("the session's guard process was killed".to_owned());
            }
            for frame in self.news_frames.push(&scratch[..count]) {
                match frame {
                    Frame::Guard { pid, watcher } => {
                        let tree = &mut self.shared.gate().tree;
                        (tree.guard, tree.watcher) = (pid, watcher);
                    }
                    Frame::ShellEnded { status } => {
                        if let Some(reason) = self.shell_ended(status) {
                            return Some(reason);
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn shell_ended(&mut self, status: i32) -> Option<String> {
        // Its last words may still be in the pipe.
        self.read_reports();
        let shared = Arc::clone(&self.shared);
        let mut gate = shared.gate();
        gate.idle = false;
        gate.tree.set_shell(None);
        gate.driven.status = 0;
        drop(gate);
        // A command that the caller's thread has sent into the dead shell's pipe is in the inbox by now.
        self.closing = self.closing.take().or_else(|| self.take_orders());
        self.unsent.clear();
        let mut scratch = [0; 4096];
        while matches!(sys::read(&self.control_reader, &mut scratch), Ok(Some(count)) if count > 0) {}
        let starting = self.shell == Shell::Starting;
        self.shell = Shell::Down;
        if starting {
            self.failed_starts += 1;
            if self.failed_starts >= START_ATTEMPTS {
                return Some(format!("{} ended with status {status} while starting", self.options.bash));
            }
            std::thread::sleep(START_PAUSE * self.failed_starts);
            self.launch_shell();
            return None;
        }
        let fate = if self.state.is_some() { ShellFate::Restored } else { ShellFate::Fresh };
        if let Some(active) = self.active.as_mut().filter(|active| active.ended.is_none()) {
            // Bash ends with 0 after `set -n`, and says 0 of what a DEBUG trap has it skip.
            let status = if active.silence.switched_off { 0 } else { status };
            active.ended = Some((status, fate));
            self.shared.gate().driven.status = status;
        }
        None
    }

    /// Completes the command once it has ended, its processes are stopped if they should be, and its output is out.
    fn finish(&mut self) {
        let Some(active) = self.active.as_mut() else { return };
        if let Some(stop) = active.stop.as_mut() {
            let tree = self.shared.gate().tree.clone();
            if !stop.advance(&tree) {
                return;
            }
        }
        let Some((status, shell)) = active.ended else { return };
        if active.owed.is_none() {
            let waiting = |index: usize| self.outputs.get(index).map_or(0, |(fd, _)| sys::readable_bytes(fd));
            active.owed = Some([waiting(0), waiting(1)]);
        }
        while let Some(index) = self.owing_stream() {
            if !self.slab.has_room() {
                return;
            }
            self.read_output(index);
        }
        let Some(active) = self.active.take() else { return };
        self.shared.gate().tree.before = None;
        let outcome = active.stop.as_ref().map_or(Outcome::Exited, |stop| stop.outcome);
        let status = (outcome == Outcome::Exited).then_some(status);
        let cwd = if self.shell == Shell::Down { nearest_folder(&self.cwd) } else { self.cwd.clone() };
        self.push_control();
        self.open_gate();
        let result = RunResult { status, outcome, shell, cwd, switched_off: active.silence.switched_off };
        (self.sink)(Event::Done { command: active.started.id, result });
        // Started ahead of need: the next command finds a warm shell.
        if self.shell == Shell::Down {
            self.launch_shell();
            self.push_control();
        }
    }

    /// Lets the caller's thread start the next command, if the shell waits for one.
    fn open_gate(&self) {
        let idle = self.shell == Shell::Ready && self.active.is_none() && self.queue.is_empty();
        self.shared.gate().idle = idle && self.unsent.is_empty();
    }

    fn owing_stream(&self) -> Option<usize> {
        let owed = self.active.as_ref()?.owed?;
        (0..self.outputs.len()).find(|index| owed[*index] > 0)
    }

    fn shut_down(&mut self) {
        let tree = self.shared.gate().tree.clone();
        let victims = tree.started_by_commands();
        victims.iter().for_each(|(pid, _)| sys::signal(*pid, libc::SIGKILL));
        if let Some(shell) = tree.shell {
            sys::signal(shell, libc::SIGKILL);
        }
        self.lifeline = None;
        self.launch = None;
        let deadline = Instant::now() + GUARD_PATIENCE;
        while matches!(self.guard.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                // The watcher itself must have been killed; without it the guard is ours to end.
                for pid in process::descendants(tree.guard) {
                    sys::signal(pid, libc::SIGKILL);
                }
                let _ = self.guard.kill();
                let _ = self.guard.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // Usually the watcher was first; a folder that is already gone is the goal.
        let _ = fs::remove_dir_all(&self.options.folder);
    }
}

/// The folder itself, or the closest one above it that still exists.
fn nearest_folder(path: &[u8]) -> Vec<u8> {
    let mut folder = PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()));
    while !folder.is_dir() {
        if !folder.pop() {
            return b"/".to_vec();
        }
    }
    folder.into_os_string().into_vec()
}
