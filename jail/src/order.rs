//! What the launcher tells the stage, as arguments of its command line.

use core::ffi::CStr;

use crate::cgroup::{Controls, Place};
use crate::limits::Limits;
use crate::namespaces::{Identity, Maps};
use crate::sys::Strings;
use crate::text;

/// The words of an order. After its numbers, which come first and in the order of [`Order`]'s fields, each of the
/// repeatable ones begins a group of arguments; `RUN` is the last.
pub mod word {
    /// The maps of the launcher's users and groups follow, where it may map any numbers.
    pub const MAPS: &str = "maps";
    /// What the group can do and where it can be made follow.
    pub const GROUP: &str = "group";
    /// A path outside and its place inside follow.
    pub const SHOW: &str = "show";
    /// The same of the folder in which the bot starts.
    pub const FOLDER: &str = "folder";
    /// The program, inside, and its arguments follow.
    pub const RUN: &str = "run";
}

/// What is to be started, and behind what.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// The launcher's process.
    pub launcher: u32,
    /// What the bot may use.
    pub limits: Limits,
    /// How many processors the machine has for this process.
    pub processors: u64,
    /// A number that was drawn for this start.
    pub number: u32,
    /// The descriptor of a network namespace in which nobody is, if there is one. Otherwise, and where it cannot be
    /// used, init makes one.
    pub network: Option<i32>,
    pub(crate) identity: Identity,
    /// The groups of arguments.
    rest: Strings,
    pub(crate) program: &'static CStr,
    /// The program, inside, and its arguments.
    pub args: Strings,
}

impl Order {
    /// Nothing where it is none.
    pub fn read(mut args: Strings) -> Option<Self> {
        let mut number = || text::number(args.next()?.to_bytes());
        let launcher = u32::try_from(number()?).ok()?;
        let limits = Limits {
            memory: number()?,
            processes: number()?,
            files: number()?,
            folder: number()?,
            entries: number()?,
        };
        let processors = number()?;
        let drawn = u32::try_from(number()?).ok()?;
        let network = i32::try_from(number()?).ok()?;
        let identity = Identity {
            user: u32::try_from(number()?).ok()?,
            group: u32::try_from(number()?).ok()?,
        };
        let rest = args;
        let mut words = Words(args);
        if words.any(|part| matches!(part, Part::Wrong)) {
            return None;
        }
        let Words(args) = words;
        Some(Order {
            launcher,
            limits,
            processors,
            number: drawn,
            network: (network > 0).then_some(network),
            identity,
            rest,
            program: args.peek()?,
            args,
        })
    }

    fn parts(&self) -> Words {
        Words(self.rest)
    }

    /// What the bot sees besides the system's files: outside, inside.
    pub fn shown(&self) -> impl Iterator<Item = (&'static CStr, &'static CStr)> {
        self.parts().filter_map(|part| match part {
            Part::Show(outside, inside) | Part::Folder(outside, inside) => Some((outside, inside)),
            _ => None,
        })
    }

    /// The folder in which the bot starts, inside, if it is not the writable one.
    pub fn folder(&self) -> Option<&'static CStr> {
        self.parts().find_map(|part| match part {
            Part::Folder(_, inside) => Some(inside),
            _ => None,
        })
    }

    /// Where control groups can be made.
    pub fn places(&self) -> impl Iterator<Item = Place<'static>> {
        self.parts().filter_map(|part| match part {
            Part::Group(controls, place) => Some((controls, place)),
            _ => None,
        })
    }

    pub(crate) fn maps(&self) -> Option<Maps<'static>> {
        self.parts().find_map(|part| match part {
            Part::Maps(maps) => Some(maps),
            _ => None,
        })
    }
}

/// A group of arguments.
enum Part {
    Maps(Maps<'static>),
    Group(Controls, &'static CStr),
    Show(&'static CStr, &'static CStr),
    Folder(&'static CStr, &'static CStr),
    Wrong,
}

/// The groups of arguments before the program; what is left then begins with it.
struct Words(Strings);

impl Iterator for Words {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let word = self.0.next()?.to_str().unwrap_or_default();
        if word == word::RUN {
            return None;
        }
        let Some((one, other)) = self.0.next().zip(self.0.next()) else {
            return Some(Part::Wrong);
        };
        Some(match word {
            word::SHOW => Part::Show(one, other),
            word::FOLDER => Part::Folder(one, other),
            word::MAPS => Part::Maps(Maps {
                users: one.to_bytes(),
                groups: other.to_bytes(),
            }),
            word::GROUP => {
                let controls = Controls::named(one.to_bytes());
                controls.map_or(Part::Wrong, |controls| Part::Group(controls, other))
            }
            _ => Part::Wrong,
        })
    }
}
