//! Landlock: what the root shows is said once more to a part of the kernel that looks at paths and
//! connections by itself. Where the kernel lacks it, the other walls stand without.

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

/// The newest that we know; an older kernel gives what it has.
const NEWEST: ABI = ABI::V6;

/// The devices that a bot may write to. `/dev/zero` is not among them: where it is open for writing, a shared mapping of
/// it is memory that only a control group counts.
const WRITABLE: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Locks this process and all that come of it. Whether the kernel has it at all.
pub(crate) fn lock() -> Result<bool, landlock::RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        // No port is named, so none may be used.
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let folders = [("/", read), ("/tmp", AccessFs::from_all(NEWEST))];
    for (path, access) in folders
        .into_iter()
        .chain(WRITABLE.map(|path| (path, device)))
    {
        if let Ok(folder) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(folder, access))?;
        }
    }
    let status = rules.restrict_self()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}
