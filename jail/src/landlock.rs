//! Landlock: what the root shows is said once more to a part of the kernel that looks at paths and
//! connections by itself. Where the kernel lacks it, the other walls stand without.

use core::ffi::CStr;

use crate::sys;

/// The devices that a bot may write to. `/dev/zero` is not among them: where it is open for writing, a shared mapping
/// of it is memory that only a control group counts.
const WRITABLE: [&CStr; 4] = [c"/dev/null", c"/dev/full", c"/dev/random", c"/dev/urandom"];

/// How many kinds of access to files each version of Landlock knows, from version 1 on; an older kernel gives what it
/// has. Each kind is a bit. The last one is the newest that we know.
const KINDS: [u32; 6] = [13, 14, 15, 15, 16, 16];

/// From which version on it knows connections, and what reaches processes outside.
const KNOWS_NETWORK: usize = 4;
const KNOWS_SCOPE: usize = 6;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_FOLDER: u64 = 1 << 3;

/// To bind to a port of TCP, and to connect to one.
const BIND: u64 = 1 << 0;
const CONNECT: u64 = 1 << 1;
/// Abstract sockets and signals.
const SCOPE: u64 = 0b11;

/// Locks this process and all that come of it. With `network`, they may connect to ports. Whether the kernel has it at
/// all.
pub(crate) fn lock(network: bool) -> sys::Result<bool> {
    // The kernel was built without it, or it is not in use, or a container hides it.
    let Ok(version @ 1..) = sys::landlock_version() else {
        return Ok(false);
    };
    let kinds = KINDS[version.min(KINDS.len()) - 1];
    let all = (1 << kinds) - 1;
    // No port is named, so none may be used.
    let ports = if network { BIND } else { BIND | CONNECT };
    let handled = [all, ports, SCOPE];
    let known = match version {
        KNOWS_SCOPE.. => 3,
        KNOWS_NETWORK.. => 2,
        _ => 1,
    };
    let rules = sys::landlock_rules(&handled[..known])?;
    let allow = |path: &CStr, access: u64| match sys::open(path, sys::open::PATH) {
        Ok(place) => sys::landlock_allow(&rules, &place, access & all),
        // What is not there need not be allowed.
        Err(_) => Ok(()),
    };
    allow(c"/", EXECUTE | READ_FILE | READ_FOLDER)?;
    allow(c"/tmp", all)?;
    for device in WRITABLE {
        allow(device, READ_FILE | WRITE_FILE)?;
    }
    sys::landlock_restrict(&rules)?;
    Ok(true)
}
