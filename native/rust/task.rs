//! The one wrapper for all work that leaves the JavaScript thread.
//!
//! Every exported async function goes through [`blocking`]: it carries a cancel token with an optional time
//! limit, runs on libuv's pool, and turns a panic into a rejected promise that names the operation, so that a
//! defect in an accelerator can never take the process down.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Duration;

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_cancel::CancelToken;

/// How JavaScript tells a caught panic (our defect) from a failure (the caller's input): no other code uses it.
const PANIC_STATUS: Status = Status::Unknown;

/// Given to a native call by its JavaScript wrapper, which cancels it when the caller's AbortSignal fires.
#[napi]
pub struct CancelHandle {
    token: CancelToken,
}

#[napi]
impl CancelHandle {
    /// Without a limit the work only stops when `cancel` is called.
    #[napi(constructor)]
    pub fn new(timeout_ms: Option<u32>) -> Self {
        let token = match timeout_ms {
            Some(limit) => CancelToken::with_timeout(Duration::from_millis(u64::from(limit))),
            None => CancelToken::new(),
        };
        Self { token }
    }

    /// Asks the work to stop at its next heartbeat.
    #[napi]
    pub fn cancel(&self) {
        self.token.cancel();
    }
}

impl CancelHandle {
    /// The token for the pure crates.
    pub fn token(&self) -> CancelToken {
        self.token.clone()
    }
}

/// Work for libuv's thread pool; made by [`blocking`].
pub struct Blocking<T> {
    tag: &'static str,
    token: CancelToken,
    #[allow(clippy::type_complexity)]
    work: Option<Box<dyn FnOnce(&CancelToken) -> Result<T> + Send>>,
}

impl<T> Task for Blocking<T>
where
    T: Send + ToNapiValue + TypeName + 'static,
{
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> Result<T> {
        let Some(work) = self.work.take() else {
            return Err(Error::new(Status::GenericFailure, format!("{}: started twice", self.tag)));
        };
        let token = self.token.clone();
        guard(self.tag, move || work(&token))
    }

    fn resolve(&mut self, _env: Env, output: T) -> Result<T> {
        Ok(output)
    }
}

/// Runs `work` off the JavaScript thread. `tag` is the operation's name in errors.
pub fn blocking<T, F>(tag: &'static str, cancel: Option<&CancelHandle>, work: F) -> AsyncTask<Blocking<T>>
where
    T: Send + ToNapiValue + TypeName + 'static,
    F: FnOnce(&CancelToken) -> Result<T> + Send + 'static,
{
    let token = cancel.map(CancelHandle::token).unwrap_or_default();
    AsyncTask::new(Blocking { tag, token, work: Some(Box::new(work)) })
}

/// Runs synchronous work and turns a panic into an error that names the operation and the place.
pub fn guard<T>(tag: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    keep_panics_quiet();
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| {
        let place = PLACE.take().map(|place| format!(" at {place}")).unwrap_or_default();
        Err(Error::new(PANIC_STATUS, format!("{tag}: internal error{place}: {}", panic_text(&*panic))))
    })
}

thread_local! {
    /// Whether a panic of this thread becomes an error that a caller sees.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    /// Where the last guarded panic happened.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that becomes an error must not write over the user's terminal as well. All others still report themselves.
fn keep_panics_quiet() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                PLACE.set(info.location().map(ToString::to_string));
            } else {
                report(info);
            }
        }));
    });
}

/// A user-facing failure: bad input, an unreadable folder, a cancelled call.
pub fn failure(error: impl std::fmt::Display) -> Error {
    Error::new(Status::GenericFailure, error.to_string())
}

/// Cancellation keeps its own status, so that JavaScript can tell it from a failure.
pub fn cancelled(reason: tenon_cancel::Cancelled) -> Error {
    Error::new(Status::Cancelled, reason.to_string())
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown panic".to_owned())
}

/// Panics off-thread on purpose: the loader's tests prove with it that a panic becomes a rejected promise.
#[napi(js_name = "__panicForTests")]
pub fn panic_for_tests() -> AsyncTask<Blocking<u32>> {
    blocking("panicForTests", None, |_| panic!("asked to panic"))
}

/// Works off-thread until it is cancelled and answers nothing: the tests of abort and timeout need such a call.
#[napi(js_name = "__beatForTests")]
pub fn beat_for_tests(cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<u32>> {
    blocking("beatForTests", cancel, |token| {
        // Bounded, so that a test which forgets to cancel cannot hold a pool thread for ever.
        for _ in 0..60_000u32 {
            token.heartbeat().map_err(cancelled)?;
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok(0)
    })
}
