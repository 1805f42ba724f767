//! The files of a bundle, as its module sees them: read-only, in memory, and without times, owners and places of the
//! machine. The same bundle looks the same everywhere.

use std::path::{Component, Path};

use crate::bundle::content::{Content, Folder, Node};
use crate::module::wasi::call::Call;
use crate::module::wasi::descriptors::{OpenDescriptor, OpenFile, OpenFolder};
use crate::module::wasi::errno::{ErrnoFailure, Region, WasiErrno};
use crate::module::wasi::memory::{Budget, after};
use crate::module::wasi::streams::Stream;

/// The name of the folder that is open from the beginning. Paths with and without a slash begin there.
const PREOPENED: &[u8] = b"/";

/// As on Linux: how many links are followed on the way to a file, the longest path, and the longest name.
const MAX_LINKS: usize = 40;
const LONGEST_PATH: usize = 4095;
const LONGEST_NAME: usize = 255;

/// The flag of a lookup that the last part of a path is followed if it is a link.
const FOLLOW: u32 = 1;

// The flags with which a path is opened.
const CREATE: u16 = 1;
const DIRECTORY: u16 = 1 << 1;
const EXCLUSIVE: u16 = 1 << 2;
const TRUNCATE: u16 = 1 << 3;

// The flags of a descriptor that is to write through to a disk.
const SYNCS: u16 = 1 << 1 | 1 << 3 | 1 << 4;

// The rights that matter here, all that there are, and those that wasmtime-wasi gives the folder
// of the beginning, and what is opened in it.
const RIGHT_TO_SEEK: u64 = 1 << 2;
const RIGHT_TO_WRITE: u64 = 1 << 6;
const RIGHTS_TO_SET_SIZES: u64 = 1 << 19 | 1 << 22;
const ALL_RIGHTS: u64 = (1 << 30) - 1;
const RIGHTS_OF_PREOPENED: u64 = 0x07b7_fe00;
const RIGHTS_IN_PREOPENED: u64 = RIGHTS_OF_PREOPENED | 0x0840_01ff;

/// The types of files.
const TYPE_FOLDER: u8 = 3;
const TYPE_FILE: u8 = 4;
const TYPE_LINK: u8 = 7;

/// The device of all files.
const DEVICE: u64 = 1;

/// The size of a folder's entry in a listing, before its name.
const ENTRY: usize = 24;

/// From where a position is counted.
const FROM_START: u8 = 0;
const FROM_HERE: u8 = 1;

/// What is asked of a path that is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRequest {
    /// The flags of the lookup.
    pub(crate) lookup: u32,
    /// The flags of the opening.
    pub(crate) open: u16,
    /// The rights that are wished for.
    pub(crate) rights: u64,
    /// The flags of the descriptor.
    pub(crate) flags: u16,
}

/// Finds the entry that a path leads to from a folder, which it may not leave.
fn find(content: &Content, start: usize, path: &str, follow: bool) -> Result<usize, WasiErrno> {
    let starts_anew = |path: &str| match path {
        "" => Err(WasiErrno::Noent),
        _ if path.starts_with('/') => Err(WasiErrno::Perm),
        _ => Ok(()),
    };
    if path.contains('\0') {
        return Err(WasiErrno::Inval);
    }
    if path.len() > LONGEST_PATH {
        return Err(WasiErrno::Nametoolong);
    }
    starts_anew(path)?;
    // The parts that are still to come, the next one last.
    let mut parts: Vec<&str> = path.rsplit('/').collect();
    let (mut here, mut links) = (start, 0);
    while let Some(part) = parts.pop() {
        let folder = content.folder(here).ok_or(WasiErrno::Notdir)?;
        match part {
            "" | "." => {}
            ".." if here == start => return Err(WasiErrno::Perm),
            ".." => here = folder.parent,
            name => {
                let found = entry_of(folder, name)?;
                let Node::Link(to) = content.node(found) else {
                    here = found;
                    continue;
                };
                // A slash behind it asks for what it leads to.
                if parts.is_empty() && !follow {
                    return Ok(found);
                }
                links += 1;
                if links > MAX_LINKS {
                    return Err(WasiErrno::Loop);
                }
                starts_anew(to)?;
                parts.extend(to.rsplit('/'));
            }
        }
    }
    Ok(here)
}

fn entry_of(folder: &Folder, name: &str) -> Result<usize, WasiErrno> {
    if name.contains('\0') {
        return Err(WasiErrno::Inval);
    }
    if name.len() > LONGEST_NAME {
        return Err(WasiErrno::Nametoolong);
    }
    folder.entries.get(name).copied().ok_or(WasiErrno::Noent)
}

/// The same for what tells of an entry: as in wasmtime-wasi, a single name is that entry, whatever follows it.
fn find_to_tell(
    content: &Content,
    start: usize,
    path: &str,
    lookup: u32,
) -> Result<usize, WasiErrno> {
    let follow = lookup & FOLLOW != 0;
    let mut parts = Path::new(path).components();
    if let (false, Some(Component::Normal(name)), None) = (follow, parts.next(), parts.next()) {
        let folder = content.folder(start).ok_or(WasiErrno::Notdir)?;
        return entry_of(folder, name.to_str().unwrap_or_default());
    }
    find(content, start, path, follow)
}

/// Finds the target of a link.
fn target<'a>(content: &'a Content, start: usize, path: &str) -> Result<&'a str, WasiErrno> {
    let is_folder = path.ends_with('/') || path.ends_with("/.");
    let mut parts = Path::new(path).components();
    let last = parts.next_back();
    let Some(Component::Normal(name)) = last.filter(|_| !is_folder) else {
        let found = find(content, start, path, true)?;
        return Err(match content.node(found) {
            Node::Folder(_) => WasiErrno::Inval,
            _ => WasiErrno::Notdir,
        });
    };
    let around = parts.as_path().to_str().unwrap_or_default();
    let folder = match around {
        "" => start,
        _ => find(content, start, around, true)?,
    };
    let folder = content.folder(folder).ok_or(WasiErrno::Notdir)?;
    match content.node(entry_of(folder, name.to_str().unwrap_or_default())?) {
        Node::Link(to) => Ok(to),
        _ => Err(WasiErrno::Inval),
    }
}

/// The type of an entry, and its size.
fn kind(node: &Node) -> (u8, u64) {
    match node {
        Node::Folder(_) => (TYPE_FOLDER, 0),
        Node::File(bytes) => (TYPE_FILE, bytes.len() as u64),
        Node::Link(to) => (TYPE_LINK, to.len() as u64),
    }
}

/// The number that tells an entry from others.
fn number(node: usize) -> u64 {
    node as u64 + 1
}

impl Call<'_> {
    /// The files. There are descriptors of files only where there is a bundle.
    fn content(&self) -> Result<&Content, WasiErrno> {
        self.wasi.content.as_deref().ok_or(WasiErrno::Badf)
    }

    fn bytes_of(&self, file: OpenFile) -> Result<&[u8], WasiErrno> {
        match self.content()?.node(file.node) {
            Node::File(bytes) => Ok(bytes),
            _ => Err(WasiErrno::Badf),
        }
    }

    /// A path that the guest names.
    pub(crate) fn path(&self, start: u32, len: u32) -> Result<&str, ErrnoFailure> {
        let path = Region { start, len };
        self.memory.path(path, &mut Budget::default())
    }

    /// The failure of what would change a file.
    pub(crate) fn read_only_file(&mut self, fd: u32) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.file(fd)?;
        Err(WasiErrno::Perm.into())
    }

    /// The failure of what would change a path below a folder.
    pub(crate) fn read_only_path(&self, fd: u32, start: u32, len: u32) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.folder(fd)?;
        self.path(start, len)?;
        Err(WasiErrno::Perm.into())
    }

    /// The same for two paths.
    pub(crate) fn read_only_paths(
        &self,
        (one_fd, one, one_len): (u32, u32, u32),
        (other_fd, other, other_len): (u32, u32, u32),
    ) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.folder(one_fd)?;
        self.wasi.descriptors.folder(other_fd)?;
        self.two_paths((one, one_len), (other, other_len))?;
        Err(WasiErrno::Perm.into())
    }

    /// The failure of a new link in a folder.
    pub(crate) fn no_new_link(
        &self,
        fd: u32,
        to: (u32, u32),
        path: (u32, u32),
    ) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.folder(fd)?;
        self.two_paths(to, path)?;
        Err(WasiErrno::Perm.into())
    }

    /// Reads two paths, which come out of one budget.
    fn two_paths(&self, one: (u32, u32), other: (u32, u32)) -> Result<(), ErrnoFailure> {
        let mut budget = Budget::default();
        for (start, len) in [one, other] {
            self.memory.path(Region { start, len }, &mut budget)?;
        }
        Ok(())
    }

    /// What can be done to files only, and does nothing.
    pub(crate) fn for_files(&mut self, fd: u32) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.file(fd)?;
        Ok(())
    }

    /// The failure of what no file can do.
    pub(crate) fn not_for_files(&mut self, fd: u32) -> Result<(), ErrnoFailure> {
        self.wasi.descriptors.file(fd)?;
        Err(WasiErrno::Notsup.into())
    }

    /// Whether a descriptor is a file or a folder.
    pub(crate) fn is_no_stream(&self, fd: u32) -> Result<(), WasiErrno> {
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Stream(_) => Err(WasiErrno::Badf),
            _ => Ok(()),
        }
    }

    pub(crate) fn set_flags(&mut self, fd: u32, flags: u16) -> Result<(), ErrnoFailure> {
        let file = self.wasi.descriptors.file(fd)?;
        if flags & SYNCS != 0 {
            return Err(WasiErrno::Inval.into());
        }
        file.flags = flags;
        Ok(())
    }

    /// Type, flags, rights, and rights of what is opened below.
    pub(crate) fn status_of(&self, open: OpenDescriptor) -> (u8, u16, u64, u64) {
        let same = |kind, flags, rights| (kind, flags, rights, rights);
        match open {
            OpenDescriptor::Stream(Stream::Stdin) => same(0, 0, super::call::RIGHT_TO_READ),
            OpenDescriptor::Stream(_) => same(0, 0, RIGHT_TO_WRITE),
            OpenDescriptor::Folder(folder) if folder.preopened => {
                (TYPE_FOLDER, 0, RIGHTS_OF_PREOPENED, RIGHTS_IN_PREOPENED)
            }
            OpenDescriptor::Folder(_) => {
                let not = RIGHT_TO_SEEK | RIGHT_TO_WRITE | RIGHTS_TO_SET_SIZES;
                same(TYPE_FOLDER, 0, ALL_RIGHTS & !not)
            }
            OpenDescriptor::File(file) => same(TYPE_FILE, file.flags, ALL_RIGHTS & !RIGHT_TO_WRITE),
        }
    }

    /// Writes what is known of an entry.
    pub(crate) fn put_stat_of(&mut self, node: usize, out: u32) -> Result<(), ErrnoFailure> {
        let (kind, size) = kind(self.content()?.node(node));
        // There is one of each.
        self.put_stat(out, [DEVICE, number(node)], kind, [1, size])
    }

    /// Writes a device and a number, a type, and how many there are and their size. Nothing has times.
    pub(crate) fn put_stat(
        &mut self,
        out: u32,
        [device, number]: [u64; 2],
        kind: u8,
        [links, size]: [u64; 2],
    ) -> Result<(), ErrnoFailure> {
        for (field, value) in [(0, device), (8, number)] {
            self.memory.write_u64(after(out, field)?, value)?;
        }
        self.memory.write(after(out, 16)?, [kind])?;
        for (field, value) in [(24, links), (32, size), (40, 0), (48, 0), (56, 0)] {
            self.memory.write_u64(after(out, field)?, value)?;
        }
        Ok(())
    }

    pub(crate) fn path_stat(
        &mut self,
        fd: u32,
        lookup: u32,
        (start, len): (u32, u32),
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let folder = self.wasi.descriptors.folder(fd)?;
        let path = self.path(start, len)?;
        let node = find_to_tell(self.content()?, folder.node, path, lookup)?;
        self.put_stat_of(node, out)
    }

    pub(crate) fn path_open(
        &mut self,
        fd: u32,
        (start, len): (u32, u32),
        wish: OpenRequest,
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let path = self.path(start, len)?;
        let folder = match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Folder(folder) => folder,
            OpenDescriptor::File(_) => return Err(WasiErrno::Notdir.into()),
            OpenDescriptor::Stream(_) => return Err(WasiErrno::Badf.into()),
        };
        let OpenRequest {
            lookup,
            open,
            rights,
            flags,
        } = wish;
        if flags & SYNCS != 0 {
            return Err(WasiErrno::Notsup.into());
        }
        if open & DIRECTORY != 0 && open & (CREATE | EXCLUSIVE | TRUNCATE) != 0 {
            return Err(WasiErrno::Inval.into());
        }
        if open & (CREATE | TRUNCATE) != 0 || rights & RIGHT_TO_WRITE != 0 {
            return Err(WasiErrno::Perm.into());
        }
        let content = self.content()?;
        let node = find(content, folder.node, path, lookup & FOLLOW != 0)?;
        let opened = match content.node(node) {
            Node::Link(_) => return Err(WasiErrno::Loop.into()),
            Node::File(_) if open & DIRECTORY != 0 => return Err(WasiErrno::Notdir.into()),
            Node::Folder(_) => OpenDescriptor::Folder(OpenFolder {
                node,
                preopened: false,
            }),
            Node::File(_) => OpenDescriptor::File(OpenFile {
                node,
                position: 0,
                flags,
            }),
        };
        let opened = self.wasi.descriptors.push(opened)?;
        Ok(self.memory.write_u32(out, opened)?)
    }

    pub(crate) fn readlink(
        &mut self,
        fd: u32,
        (start, len): (u32, u32),
        (buffer, room): (u32, u32),
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let folder = self.wasi.descriptors.folder(fd)?;
        let path = self.path(start, len)?;
        let to = target(self.content()?, folder.node, path)?.as_bytes();
        let to = to[..to.len().min(room as usize)].to_vec();
        self.put_bytes(buffer, &to)?;
        Ok(self.memory.write_u32(out, to.len() as u32)?)
    }

    /// Writes bytes, and gives the address after them.
    fn put_bytes(&mut self, at: u32, bytes: &[u8]) -> Result<u32, ErrnoFailure> {
        let len = bytes.len() as u32;
        self.memory.bytes_mut(at, len)?.copy_from_slice(bytes);
        Ok(after(at, len)?)
    }

    pub(crate) fn prestat(&mut self, fd: u32, out: u32) -> Result<(), ErrnoFailure> {
        if !self.wasi.descriptors.folder(fd)?.preopened {
            return Err(WasiErrno::Badf.into());
        }
        // A folder, which is the only kind that there is.
        self.memory.write(out, [0])?;
        let len = PREOPENED.len() as u32;
        Ok(self.memory.write_u32(after(out, 4)?, len)?)
    }

    pub(crate) fn prestat_name(
        &mut self,
        fd: u32,
        path: u32,
        room: u32,
    ) -> Result<(), ErrnoFailure> {
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Folder(folder) if folder.preopened => {}
            _ => return Err(WasiErrno::Notdir.into()),
        }
        if (room as usize) < PREOPENED.len() {
            return Err(WasiErrno::Nametoolong.into());
        }
        self.put_bytes(path, PREOPENED)?;
        Ok(())
    }

    /// Lists a folder from an entry on, as much as there is room for; the last may be cut off.
    pub(crate) fn readdir(
        &mut self,
        fd: u32,
        (buffer, room): (u32, u32),
        cookie: u64,
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let node = self.wasi.descriptors.folder(fd)?.node;
        let content = self.content()?;
        let folder = content.folder(node).ok_or(WasiErrno::Badf)?;
        // As in wasmtime-wasi, the folder around has the number of this one.
        let own = [(".", node), ("..", node)].into_iter();
        let held = folder
            .entries
            .iter()
            .map(|(name, &node)| (name.as_str(), node));
        let cookie = usize::try_from(cookie).map_err(|_| WasiErrno::Overflow)?;
        let mut list = Vec::new();
        for (at, (name, entry)) in own.chain(held).enumerate().skip(cookie) {
            if list.len() >= room as usize {
                break;
            }
            let mut head = [0; ENTRY];
            head[..8].copy_from_slice(&(at as u64 + 1).to_le_bytes());
            head[8..16].copy_from_slice(&number(entry).to_le_bytes());
            head[16..20].copy_from_slice(&(name.len() as u32).to_le_bytes());
            head[20] = kind(content.node(entry)).0;
            list.extend(head);
            list.extend(name.as_bytes());
        }
        list.truncate(room as usize);
        self.put_bytes(buffer, &list)?;
        Ok(self.memory.write_u32(out, list.len() as u32)?)
    }

    pub(crate) fn seek(
        &mut self,
        fd: u32,
        by: i64,
        whence: u8,
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let file = self.seekable(fd)?;
        let size = self.bytes_of(file)?.len() as u64;
        let position = match whence {
            FROM_START => u64::try_from(by).ok(),
            FROM_HERE => file.position.checked_add_signed(by),
            _ => size.checked_add_signed(by),
        };
        let position = position.ok_or(WasiErrno::Inval)?;
        self.wasi.descriptors.file(fd)?.position = position;
        Ok(self.memory.write_u64(out, position)?)
    }

    pub(crate) fn tell(&mut self, fd: u32, out: u32) -> Result<(), ErrnoFailure> {
        let position = self.seekable(fd)?.position;
        Ok(self.memory.write_u64(out, position)?)
    }

    fn seekable(&self, fd: u32) -> Result<OpenFile, WasiErrno> {
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::File(file) => Ok(file),
            OpenDescriptor::Stream(_) => Err(WasiErrno::Spipe),
            OpenDescriptor::Folder(_) => Err(WasiErrno::Badf),
        }
    }

    /// Reads from a file, at its position or at another one.
    pub(crate) fn read_file(
        &mut self,
        file: OpenFile,
        position: u64,
        buffer: Region,
    ) -> Result<u32, ErrnoFailure> {
        let end = position.checked_add(u64::from(buffer.len));
        if end.is_none_or(|end| i64::try_from(end).is_err()) {
            return Err(WasiErrno::Inval.into());
        }
        let Call { wasi, memory } = self;
        let Some(Node::File(bytes)) = wasi.content.as_deref().map(|it| it.node(file.node)) else {
            return Err(WasiErrno::Badf.into());
        };
        let rest = usize::try_from(position)
            .ok()
            .and_then(|at| bytes.get(at..));
        let rest = rest.unwrap_or_default();
        let piece = &rest[..rest.len().min(buffer.len as usize)];
        // The end of a file fits anywhere.
        if !piece.is_empty() {
            let to = memory.bytes_mut(buffer.start, piece.len() as u32)?;
            to.copy_from_slice(piece);
        }
        Ok(piece.len() as u32)
    }
}
