//! Bindings of `tenon-search`.
//!
//! The answer crosses as a few buffers of about a megabyte, without being copied; JavaScript decodes a file when it is
//! looked at.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_search::{GrepError, GrepRequest, IndexChoice, Mode};

use crate::scan::{RawPolicy, RawProblem, RawScanInfo, raw_problems, raw_scan, scan_error, scanner};
use crate::task::{Blocking, CancelHandle, blocking, cancelled, failure};

/// A search request; the JavaScript side fills in all defaults.
#[napi(object)]
pub struct RawGrepRequest {
    pub path: String,
    pub pattern: String,
    pub literal: bool,
    pub ignore_case: bool,
    pub multiline: Option<bool>,
    pub globs: Vec<String>,
    pub policy: RawPolicy,
    pub cache: bool,
    /// `content`, `files` or `count`.
    pub mode: String,
    pub before: u32,
    pub after: u32,
    pub columns: u32,
    pub offset: u32,
    pub limit: u32,
    pub per_file: u32,
    pub bytes: u32,
    pub file_bytes: u32,
    /// Where indexes of large folders are kept; unset: every file is read.
    pub index_folder: Option<String>,
    /// Folders with fewer files are searched without an index.
    pub index_from: u32,
}

/// The lines of some files.
#[napi(object)]
pub struct RawGrepChunk {
    pub lines: Uint32Array,
    pub text: Buffer,
}

/// A packed search answer.
#[napi(object)]
pub struct RawGrepResult {
    pub paths: Buffer,
    pub files: Uint32Array,
    pub chunks: Vec<RawGrepChunk>,
    pub matches: u32,
    pub limited: bool,
    pub searched: u32,
    pub spared: u32,
    pub binary: u32,
    pub problems: Vec<RawProblem>,
    pub problem_count: u32,
    pub repaired: Option<String>,
    pub scan: Option<RawScanInfo>,
}

/// Lines, files or counts that match a pattern.
#[napi]
pub fn search_grep(request: RawGrepRequest, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<RawGrepResult>> {
    blocking("grep", cancel, move |cancel| {
        let request = GrepRequest {
            root: request.path.into(),
            pattern: request.pattern,
            literal: request.literal,
            ignore_case: request.ignore_case,
            multiline: request.multiline,
            globs: request.globs,
            policy: request.policy.into(),
            cache: request.cache,
            mode: match request.mode.as_str() {
                "files" => Mode::Files,
                "count" => Mode::Count,
                _ => Mode::Content,
            },
            before: request.before as usize,
            after: request.after as usize,
            columns: request.columns as usize,
            offset: request.offset as usize,
            limit: request.limit as usize,
            per_file: request.per_file as usize,
            bytes: request.bytes as usize,
            file_bytes: request.file_bytes as usize,
            index: request
                .index_folder
                .map(|folder| IndexChoice { folder: folder.into(), fewest_files: request.index_from as usize }),
        };
        let outcome = tenon_search::grep(scanner(), &request, cancel).map_err(|error| match error {
            GrepError::Cancelled(reason) => cancelled(reason),
            GrepError::Scan(error) => scan_error(error),
            GrepError::Pattern(error) => failure(error),
        })?;
        Ok(RawGrepResult {
            problems: raw_problems(&outcome.problems),
            problem_count: outcome.problems.count() as u32,
            scan: raw_scan(outcome.scan.as_ref()),
            paths: outcome.paths.into(),
            files: Uint32Array::new(outcome.files),
            chunks: outcome
                .chunks
                .into_iter()
                .map(|chunk| RawGrepChunk { lines: Uint32Array::new(chunk.lines), text: chunk.text.into() })
                .collect(),
            matches: outcome.matches as u32,
            limited: outcome.limited,
            searched: outcome.searched as u32,
            spared: outcome.spared as u32,
            binary: outcome.binary as u32,
            repaired: outcome.repaired,
        })
    })
}
