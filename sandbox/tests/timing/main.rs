//! What depends on the clock and the processors of this machine: one test at a time, and nothing else beside them.
//! Where a test compares times, it compares them with others of the same run.

mod clocks;
#[path = "../bots/common.rs"]
#[allow(
    dead_code,
    clippy::allow_attributes,
    reason = "another part is used here"
)]
mod common;
#[path = "../jail/started.rs"]
#[allow(
    dead_code,
    clippy::allow_attributes,
    reason = "another part is used here"
)]
mod started;
#[path = "../jail/user.rs"]
mod user;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_jail_does_the_same_for_an_ordinary_user() {
    let _alone = alone();
    user::runs_them_too(&["jailed::"]);
}

macro_rules! tests {
    ($($test:ident),+ $(,)?) => {
        mod plain {
            $(#[test] fn $test() {
                let _alone = crate::alone();
                crate::clocks::$test(crate::common::start);
            })+
        }

        mod jailed {
            $(#[test] fn $test() {
                let _alone = crate::alone();
                crate::clocks::$test(crate::started::start);
            })+
        }
    };
}

tests! {
    a_clock_stands_still_while_the_machine_is_busy_with_others,
    a_busy_machine_excuses_neither_sleep_nor_endless_work,
    a_bot_that_stands_in_its_own_way_is_late,
    a_crowd_of_its_own_excuses_nobody,
    a_bot_that_goes_on_though_it_is_stopped_gains_little_and_is_ended,
    what_a_bot_takes_back_is_no_lateness_of_the_referee,
}
