//! The worker threads that walks and searches share: made on first use, then kept, so that a call of a few
//! milliseconds does not pay for starting threads.

use std::sync::OnceLock;

/// One worker per core.
pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

/// The shared pool, or none where the system refuses threads; then work runs on the calling thread.
pub fn pool() -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(workers())
            .thread_name(|index| format!("tenon-scan-{index}"))
            .build()
            .ok()
    })
    .as_ref()
}
