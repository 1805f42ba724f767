//! Waiting for a future on a thread that does nothing else meanwhile, even inside of a runtime.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::Handle;
use tokio::task::unconstrained;

/// Waits for a future. `runtime` is the one whose timers and descriptors it waits for, which another thread runs; where
/// there is none, the future waits for nothing, and a pause is only a chance for others.
pub(crate) fn wait_for<T>(future: impl Future<Output = T>, runtime: Option<&Handle>) -> T {
    let _inside = runtime.map(Handle::enter);
    // A runtime that this thread runs itself would make it pause for the sake of tasks that have no turn now.
    let mut future = pin!(unconstrained(future));
    let waker = match runtime {
        Some(_) => Waker::from(Arc::new(Unpark(thread::current()))),
        None => Waker::noop().clone(),
    };
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
            return done;
        }
        if runtime.is_some() {
            thread::park();
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::oneshot;

    use super::*;

    fn runtime() -> Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn timers_of_another_threads_runtime_ring_inside_of_a_runtime() {
        let (handles, handle) = channel();
        let (ends, end) = oneshot::channel::<()>();
        let other = thread::spawn(move || {
            let runtime = runtime();
            handles.send(runtime.handle().clone()).unwrap();
            runtime.block_on(end).unwrap();
        });
        let handle = handle.recv().unwrap();
        runtime().block_on(async {
            // More of them than a task has turns for in one go.
            for _ in 0..500 {
                let slept = async {
                    tokio::time::sleep(Duration::from_micros(10)).await;
                    7
                };
                assert_eq!(wait_for(slept, Some(&handle)), 7);
            }
        });
        ends.send(()).unwrap();
        other.join().unwrap();
    }

    #[test]
    fn what_pauses_for_others_only_goes_on() {
        let mut pauses = 3;
        let pausing = std::future::poll_fn(|_| match pauses {
            0 => Poll::Ready("done"),
            _ => {
                pauses -= 1;
                Poll::Pending
            }
        });
        assert_eq!(wait_for(pausing, None), "done");
    }
}
