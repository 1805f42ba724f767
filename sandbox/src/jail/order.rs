//! What the launcher tells the stage, as arguments of its command line.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use flipside_jail::{JailLimits, Strings, word};

use crate::jail::machine::MachineSupport;
use crate::jail::network::Network;
use crate::jail::visibility::Visibility;

/// What is to be started, and behind what.
#[derive(Clone, Debug)]
pub(crate) struct JailOrder<'a> {
    pub(crate) limits: JailLimits,
    /// The program, inside, and what it sees besides the system's files and folders.
    pub(crate) visibility: Visibility,
    pub(crate) args: Vec<OsString>,
    /// Its network namespace, if one is ready.
    pub(crate) network: Option<&'a Network>,
    /// Whether it stays in the network namespace of this process.
    pub(crate) outside_network: bool,
}

impl JailOrder<'_> {
    /// As arguments, with what the stage is to know of this machine. A number is drawn for each start.
    pub(crate) fn to_args(&self, machine: &MachineSupport, drawn: u32) -> Vec<OsString> {
        let JailLimits {
            memory,
            processes,
            files,
            folder,
            entries,
        } = self.limits;
        let launcher = std::process::id().into();
        let network = self
            .network
            .map_or(0, |network| network.as_fd().as_raw_fd().unsigned_abs());
        let (user, group) = (machine.user.into(), machine.group.into());
        let mut args: Vec<OsString> = [
            launcher,
            memory,
            processes,
            files,
            folder,
            entries,
            machine.processors,
            drawn.into(),
            network.into(),
            self.outside_network.into(),
            user,
            group,
        ]
        .iter()
        .map(|number: &u64| number.to_string().into())
        .collect();
        if let Some((users, groups)) = &machine.maps {
            args.extend([word::MAPS.into(), users.into(), groups.into()]);
        }
        for (controls, place) in &machine.places {
            let place = OsStr::from_bytes(place.to_bytes());
            args.extend([word::GROUP.into(), controls.name().into(), place.into()]);
        }
        for (outside, inside) in &self.visibility.paths {
            args.extend([word::SHOW.into(), outside.into(), inside.into()]);
        }
        if let Some((outside, inside)) = &self.visibility.folder {
            args.extend([word::FOLDER.into(), outside.into(), inside.into()]);
        }
        args.extend([word::RUN.into(), OsString::from(&self.visibility.program)]);
        args.extend(self.args.iter().cloned());
        args
    }
}

/// Arguments as a program gets them, for as long as this process lives.
pub(crate) fn strings(args: impl Iterator<Item = OsString>) -> Strings {
    // A program's own arguments have no nulls.
    let strings = args.filter_map(|arg| CString::new(arg.into_vec()).ok());
    let list = strings.map(|string| CStr::as_ptr(Box::leak(string.into_boxed_c_str())).cast());
    let list: Vec<*const u8> = list.chain([std::ptr::null()]).collect();
    #[expect(
        unsafe_code,
        reason = "the list ends with a null, and nobody frees it or its strings"
    )]
    unsafe {
        Strings::new(list.leak().as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flipside_jail::Controls;

    use super::*;

    fn machine() -> MachineSupport {
        MachineSupport {
            user: 7,
            group: 8,
            maps: Some(("0 0 1\n".into(), "0 1 2\n".into())),
            places: vec![
                (Controls::Memory, c"/sys/fs/cgroup/memory".into()),
                (Controls::Time2, c"/sys/fs/cgroup/unified".into()),
            ],
            processors: 3,
        }
    }

    fn order() -> JailOrder<'static> {
        JailOrder {
            limits: JailLimits::default(),
            visibility: Visibility {
                paths: vec![
                    ("/home/me/bot".into(), "/bot/bot".into()),
                    ("run".into(), "show".into()),
                ],
                folder: Some(("/cache/17".into(), "/bot".into())),
                program: "/bot/bot".into(),
                path: "/bin".into(),
            },
            args: vec!["run".into(), "show".into(), "-x".into()],
            network: None,
            outside_network: true,
        }
    }

    #[test]
    fn an_order_reads_as_it_is_written() {
        let (order, machine) = (order(), machine());
        let args = order.to_args(&machine, 17);
        let read = flipside_jail::StageOrder::read(strings(args.into_iter())).unwrap();
        assert_eq!(read.limits, order.limits);
        assert_eq!((read.launcher, read.number), (std::process::id(), 17));
        assert_eq!(read.processors, machine.processors);
        assert!(read.outside_network);
        let path = |path: &CStr| PathBuf::from(OsStr::from_bytes(path.to_bytes()));
        let shown = read.shown().map(|(one, other)| (path(one), path(other)));
        let Visibility { paths, folder, .. } = order.visibility.clone();
        let all: Vec<_> = paths.into_iter().chain(folder).collect();
        assert_eq!(shown.collect::<Vec<_>>(), all);
        assert_eq!(read.folder(), Some(c"/bot"));
        let places = read
            .places()
            .map(|(controls, at)| (controls, at.to_owned()));
        assert_eq!(places.collect::<Vec<_>>(), machine.places);
        let command = read.args.map(|arg| path(arg).into_os_string());
        let program = order.visibility.program.clone().into_os_string();
        let due: Vec<_> = std::iter::once(program).chain(order.args).collect();
        assert_eq!(command.collect::<Vec<_>>(), due);
    }

    #[test]
    fn a_part_of_an_order_is_none() {
        let (order, machine) = (order(), machine());
        let args = order.to_args(&machine, 17);
        for cut in 0..args.len() - order.args.len() {
            let part = strings(args[..cut].iter().cloned());
            assert!(flipside_jail::StageOrder::read(part).is_none(), "{cut}");
        }
        for (at, wrong) in [
            (0, "-1"),
            (1, "x"),
            (12, "mops"),
            (15, "grope"),
            (16, "both"),
        ] {
            let mut args = args.clone();
            args[at] = wrong.into();
            assert!(flipside_jail::StageOrder::read(strings(args.into_iter())).is_none());
        }
    }
}
