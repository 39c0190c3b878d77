//! What can go wrong on the way to running a command. A command that fails is not an error but a result.

use std::fmt;

/// A failure of the session itself, worded for the person or model that asked.
#[derive(Debug)]
pub enum ShellError {
    /// The shell or terminal program could not be started.
    Start { program: String, source: std::io::Error },
    /// A pipe, terminal or thread could not be made.
    Setup { what: &'static str, source: std::io::Error },
    /// The folder that the command should run in is not usable.
    Folder { path: String, source: std::io::Error },
    /// The command, a variable or a path holds a NUL byte, which no shell can carry.
    NulByte { what: &'static str },
    /// A variable name that no shell accepts.
    VariableName { name: String },
    /// The session runs one command at a time.
    Busy,
    /// The session was closed or lost its guard.
    Closed,
}

impl fmt::Display for ShellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => {
                write!(
                    f,
                    "cannot start {program}: {source}; check that it is installed and that the environment is not too large"
                )
            }
            Self::Setup { what, source } => write!(f, "cannot make {what}: {source}"),
            Self::Folder { path, source } => {
                write!(f, "working directory {path} cannot be used: {source}; give an existing directory")
            }
            Self::NulByte { what } => write!(f, "the {what} holds a NUL byte; remove it"),
            Self::VariableName { name } => {
                write!(f, "invalid variable name {name:?}: use letters, digits and _, not starting with a digit")
            }
            Self::Busy => f.write_str("the session is already running a command: wait for it or open another session"),
            Self::Closed => f.write_str("the session is closed: open a new one"),
        }
    }
}

impl std::error::Error for ShellError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Setup { source, .. } | Self::Folder { source, .. } => Some(source),
            _ => None,
        }
    }
}
