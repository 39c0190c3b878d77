//! The files of a snapshot that a search reads, as flat arrays in path order.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tenon_scan::{GlobSet, Kind, Snapshot, bytes_of};

/// Files grouped by folder; a file is its folder's number and its name.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    folder_paths: Vec<u8>,
    folder_ends: Vec<u32>,
    names: Vec<u8>,
    name_ends: Vec<u32>,
    folder_of: Vec<u32>,
    /// What a file that was named directly is called in the answer; behind a link its own name is another.
    shown: Option<Vec<u8>>,
}

/// All files of the snapshot that was searched last. A large tree is searched again and again; its list is made once.
static RECENT: Mutex<Option<(Weak<Snapshot>, Arc<Selection>)>> = Mutex::new(None);

impl Selection {
    /// As [`Self::of`]; the selection of everything is shared between the searches of one snapshot.
    pub fn shared(snapshot: &Arc<Snapshot>, globs: &GlobSet) -> Arc<Self> {
        if !globs.is_everything() {
            return Arc::new(Self::of(snapshot, globs));
        }
        let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, selection)) = recent.as_ref()
            && std::ptr::eq(known.as_ptr(), Arc::as_ptr(snapshot))
        {
            return Arc::clone(selection);
        }
        let selection = Arc::new(Self::of(snapshot, globs));
        // The address cannot be that of another snapshot while the weak reference is held.
        *recent = Some((Arc::downgrade(snapshot), Arc::clone(&selection)));
        selection
    }

    /// The regular files whose path matches.
    pub fn of(snapshot: &Snapshot, globs: &GlobSet) -> Self {
        let mut selection = Self::default();
        let everything = globs.is_everything();
        let mut folder = None;
        let _all: ControlFlow<()> = snapshot.visit(|entry| {
            if entry.kind == Kind::File && (everything || globs.matches(entry.path, entry.name_at)) {
                if folder != Some(entry.folder) {
                    folder = Some(entry.folder);
                    selection.push_folder(&entry.path[..entry.name_at]);
                }
                selection.push_file(entry.name());
            }
            ControlFlow::Continue(())
        });
        selection
    }

    /// One file, named directly, and what it was called.
    pub fn single(name: &[u8], shown: &[u8]) -> Self {
        let mut selection = Self { shown: Some(shown.to_owned()), ..Self::default() };
        selection.push_folder(b"");
        selection.push_file(name);
        selection
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.folder_of.len()
    }

    /// The number of a file's folder.
    pub fn folder(&self, file: usize) -> u32 {
        self.folder_of[file]
    }

    /// The last component of a file's path.
    pub fn name(&self, file: usize) -> &[u8] {
        slice(&self.names, &self.name_ends, file)
    }

    /// The path relative to the root.
    pub fn path(&self, file: usize) -> Vec<u8> {
        if let Some(shown) = &self.shown {
            return shown.clone();
        }
        [self.folder_path(self.folder(file)), self.name(file)].concat()
    }

    /// Appends the path relative to the root.
    pub fn push_path(&self, file: usize, path: &mut Vec<u8>) {
        path.extend_from_slice(self.folder_path(self.folder(file)));
        path.extend_from_slice(self.name(file));
    }

    /// The absolute path of a folder.
    pub fn absolute(&self, root: &Path, folder: u32) -> Vec<u8> {
        [bytes_of(root), b"/", self.folder_path(folder)].concat()
    }

    /// Empty for the root, otherwise ends in a separator.
    fn folder_path(&self, folder: u32) -> &[u8] {
        slice(&self.folder_paths, &self.folder_ends, folder as usize)
    }

    fn push_folder(&mut self, path: &[u8]) {
        self.folder_paths.extend_from_slice(path);
        self.folder_ends.push(self.folder_paths.len() as u32);
    }

    fn push_file(&mut self, name: &[u8]) {
        self.names.extend_from_slice(name);
        self.name_ends.push(self.names.len() as u32);
        self.folder_of.push(self.folder_ends.len() as u32 - 1);
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], index: usize) -> &'a [u8] {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &bytes[start..ends[index] as usize]
}
