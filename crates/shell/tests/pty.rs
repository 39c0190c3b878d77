//! Terminals with real programs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenon_shell::{Pty, PtyEvent, PtyOptions};

struct Terminal {
    pty: Pty,
    events: mpsc::Receiver<PtyEvent>,
    screen: String,
}

fn open(program: &[&str]) -> Terminal {
    let (send, events) = mpsc::channel();
    let options = PtyOptions {
        bash: "bash".to_owned(),
        program: program.iter().map(|word| (*word).to_owned()).collect(),
        cwd: "/tmp".into(),
        env: None,
        columns: 100,
        rows: 30,
    };
    let pty = Pty::open(options, move |event| drop(send.send(event))).unwrap();
    Terminal { pty, events, screen: String::new() }
}

impl Terminal {
    fn until(&mut self, wanted: &str) {
        let deadline = Instant::now() + Duration::from_secs(15);
        while !self.screen.contains(wanted) {
            assert!(Instant::now() < deadline, "{wanted:?} not in {:?}", self.screen);
            if let Ok(PtyEvent::Output(bytes)) = self.events.recv_timeout(Duration::from_millis(200)) {
                self.screen.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
    }

    fn exit(&mut self) -> Option<i32> {
        loop {
            match self.events.recv_timeout(Duration::from_secs(15)).expect("the end within 15 s") {
                PtyEvent::Output(bytes) => {
                    self.screen.push_str(&String::from_utf8_lossy(&bytes));
                }
                PtyEvent::Exit(status) => return status,
            }
        }
    }
}

#[test]
fn a_program_sees_a_terminal_of_the_given_size_and_its_changes() {
    let mut terminal = open(&[
        "bash",
        "-c",
        "trap 'stty size; seen=1' WINCH; tty -s && stty size; until [ -n \"$seen\" ]; do sleep 0.05; done",
    ]);
    terminal.until("30 100");
    terminal.pty.resize(132, 43).unwrap();
    terminal.until("43 132");
    assert_eq!(terminal.exit(), Some(0));
}

#[test]
fn typed_input_reaches_an_interactive_shell_and_its_status_comes_back() {
    let mut terminal = open(&["bash", "--norc", "-i"]);
    terminal.pty.write(b"echo $((40+2))-answer\n");
    terminal.until("42-answer");
    terminal.pty.write(b"sleep 100\n");
    terminal.until("sleep 100");
    std::thread::sleep(Duration::from_millis(300));
    terminal.pty.write(b"\x03");
    terminal.pty.write(b"echo after-$?\n");
    terminal.until("after-130");
    terminal.pty.write(b"exit 6\n");
    assert_eq!(terminal.exit(), Some(6));
}

#[test]
fn all_output_arrives_before_the_end() {
    let mut terminal = open(&["bash", "-c", "seq 1 20000; exit 4"]);
    assert_eq!(terminal.exit(), Some(4));
    assert!(terminal.screen.ends_with("19999\r\n20000\r\n"));
    assert_eq!(terminal.screen.lines().count(), 20000);
}

#[test]
fn what_a_program_left_behind_ends_with_its_terminal() {
    let mut terminal = open(&["bash", "-c", "setsid sleep 66.6 </dev/null >/dev/null 2>&1 & echo pid=$!=; exit 0"]);
    assert_eq!(terminal.exit(), Some(0));
    let pid = terminal.screen.split('=').nth(1).unwrap();
    let gone = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |s| s.contains(") Z "));
    assert!(gone(pid));
}

#[test]
fn closing_ends_the_program() {
    let mut terminal = open(&["bash", "-c", "trap '' HUP INT TERM; echo ready; while :; do sleep 1; done"]);
    terminal.until("ready");
    terminal.pty.close();
    assert_eq!(terminal.exit(), None);
}
