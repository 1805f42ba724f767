//! What the launcher tells the stage, as arguments of its command line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::jail::Limits;

/// What is to be started, and behind what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) limits: Limits,
    /// Files and folders that the bot sees besides the system's, and where: `(outside, inside)`.
    pub(crate) shown: Vec<(PathBuf, PathBuf)>,
    /// The program, inside.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
}

impl Order {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let Limits {
            memory,
            processes,
            files,
            folder,
            entries,
        } = self.limits;
        let mut args: Vec<OsString> = [memory, processes, files, folder, entries]
            .iter()
            .map(|number| number.to_string().into())
            .collect();
        for (outside, inside) in &self.shown {
            args.extend(["show".into(), outside.into(), inside.into()]);
        }
        args.extend(["run".into(), OsString::from(&self.program)]);
        args.extend(self.args.iter().cloned());
        args
    }

    /// Nothing where they are not what [`Order::to_args`] gives.
    pub(crate) fn from_args(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut number = || args.next()?.to_str()?.parse().ok();
        let limits = Limits {
            memory: number()?,
            processes: number()?,
            files: number()?,
            folder: number()?,
            entries: number()?,
        };
        let mut shown = Vec::new();
        loop {
            match args.next()?.as_bytes() {
                b"show" => shown.push((args.next()?.into(), args.next()?.into())),
                b"run" => break,
                _ => return None,
            }
        }
        Some(Order {
            limits,
            shown,
            program: args.next()?.into(),
            args: args.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_reads_as_it_is_written() {
        let order = Order {
            limits: Limits::default(),
            shown: vec![
                ("/home/me/bot".into(), "/bot/bot".into()),
                ("run".into(), "show".into()),
            ],
            program: "/bot/bot".into(),
            args: vec!["run".into(), "show".into(), "-x".into()],
        };
        assert_eq!(
            Order::from_args(order.to_args().into_iter()),
            Some(order.clone())
        );
        for cut in 0..order.to_args().len() - order.args.len() {
            let args = order.to_args().into_iter().take(cut);
            assert_eq!(Order::from_args(args), None, "{cut}");
        }
    }
}
