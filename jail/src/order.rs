//! What the launcher tells the stage, as arguments of its command line.

use core::ffi::CStr;

use crate::cgroup::{CgroupDir, Controls};
use crate::limits::JailLimits;
use crate::namespaces::{Identity, Maps};
use crate::sys::Strings;
use crate::text;

/// The words of an order. After its numbers, which come first and in the order of [`StageOrder`]'s fields, each of the
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
pub struct StageOrder {
    /// The launcher's process.
    pub launcher: u32,
    /// What the bot may use.
    pub limits: JailLimits,
    /// How many processors the machine has for this process.
    pub processors: u64,
    /// A number that was drawn for this start.
    pub number: u32,
    /// The descriptor of a network namespace in which nobody is, if there is one. Otherwise, and where it cannot be
    /// used, init makes one.
    pub network: Option<i32>,
    /// Whether the bot stays in the network namespace of the launcher.
    pub outside_network: bool,
    pub(crate) identity: Identity,
    /// The groups of arguments.
    rest: Strings,
    pub(crate) program: &'static CStr,
    /// The program, inside, and its arguments.
    pub args: Strings,
}

impl StageOrder {
    /// Nothing where it is none.
    pub fn read(mut args: Strings) -> Option<Self> {
        let mut number = || text::number(args.next()?.to_bytes());
        let launcher = u32::try_from(number()?).ok()?;
        let limits = JailLimits {
            memory: number()?,
            processes: number()?,
            files: number()?,
            folder: number()?,
            entries: number()?,
        };
        let processors = number()?;
        let drawn = u32::try_from(number()?).ok()?;
        let network = i32::try_from(number()?).ok()?;
        let outside_network = number()? != 0;
        let identity = Identity {
            user: u32::try_from(number()?).ok()?,
            group: u32::try_from(number()?).ok()?,
        };
        let rest = args;
        let mut words = OrderWords(args);
        if words.any(|part| matches!(part, OrderPart::Wrong)) {
            return None;
        }
        let OrderWords(args) = words;
        Some(StageOrder {
            launcher,
            limits,
            processors,
            number: drawn,
            network: (network > 0).then_some(network),
            outside_network,
            identity,
            rest,
            program: args.peek()?,
            args,
        })
    }

    fn parts(&self) -> OrderWords {
        OrderWords(self.rest)
    }

    /// What the bot sees besides the system's files: outside, inside.
    pub fn shown(&self) -> impl Iterator<Item = (&'static CStr, &'static CStr)> {
        self.parts().filter_map(|part| match part {
            OrderPart::Show(outside, inside) | OrderPart::Folder(outside, inside) => {
                Some((outside, inside))
            }
            _ => None,
        })
    }

    /// The folder in which the bot starts, inside, if it is not the writable one.
    pub fn folder(&self) -> Option<&'static CStr> {
        self.parts().find_map(|part| match part {
            OrderPart::Folder(_, inside) => Some(inside),
            _ => None,
        })
    }

    /// Where control groups can be made.
    pub fn places(&self) -> impl Iterator<Item = CgroupDir<'static>> {
        self.parts().filter_map(|part| match part {
            OrderPart::Group(controls, place) => Some((controls, place)),
            _ => None,
        })
    }

    pub(crate) fn maps(&self) -> Option<Maps<'static>> {
        self.parts().find_map(|part| match part {
            OrderPart::Maps(maps) => Some(maps),
            _ => None,
        })
    }
}

/// A group of arguments.
enum OrderPart {
    Maps(Maps<'static>),
    Group(Controls, &'static CStr),
    Show(&'static CStr, &'static CStr),
    Folder(&'static CStr, &'static CStr),
    Wrong,
}

/// The groups of arguments before the program; what is left then begins with it.
struct OrderWords(Strings);

impl Iterator for OrderWords {
    type Item = OrderPart;

    fn next(&mut self) -> Option<OrderPart> {
        let word = self.0.next()?.to_str().unwrap_or_default();
        if word == word::RUN {
            return None;
        }
        let Some((one, other)) = self.0.next().zip(self.0.next()) else {
            return Some(OrderPart::Wrong);
        };
        Some(match word {
            word::SHOW => OrderPart::Show(one, other),
            word::FOLDER => OrderPart::Folder(one, other),
            word::MAPS => OrderPart::Maps(Maps {
                users: one.to_bytes(),
                groups: other.to_bytes(),
            }),
            word::GROUP => {
                let controls = Controls::named(one.to_bytes());
                controls.map_or(OrderPart::Wrong, |controls| {
                    OrderPart::Group(controls, other)
                })
            }
            _ => OrderPart::Wrong,
        })
    }
}
