//! Where the program begins, and what happens when it panics.

#![expect(
    unsafe_code,
    reason = "the arguments are on the stack, where the kernel puts them"
)]

use core::panic::PanicInfo;

use crate::sys::{self, Strings, signal};

/// On the stack, the arguments follow their number, a null follows them, and the environment that.
pub(crate) unsafe extern "C" fn begin(stack: *const usize) -> ! {
    let (mut args, environment) = unsafe {
        let (number, args) = (*stack, stack.add(1));
        (
            Strings::new(args.cast()),
            Strings::new(args.add(number + 1).cast()),
        )
    };
    // The name of the program.
    args.next();
    sys::exit(crate::stage::enter(args, environment).into())
}

/// As if somebody had killed it: the referee clears away what it leaves.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    sys::kill(sys::own_pid().cast_signed(), signal::KILL);
    sys::exit(101)
}
