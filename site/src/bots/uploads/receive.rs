//! Receiving a file: what it may not be is refused before it is read, as far as that is known, and then while it comes.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;
use bytes::Bytes;
use flipside_operations::{AddedGame, Processes, RECEIVED_HEAD, ReceivedKind, add_game, repack};
use flipside_store::unix_ms;
use flipside_tournament::{BUNDLE_ENDING, Name};
use futures_util::{Stream, StreamExt};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::folder::UploadFolder;
use super::queue::{ASK_TO_DELETE, is_taken, own_bytes, too_much};
use super::rows::{NewUpload, UploadId};
use crate::accounts::people::{AccountId, AccountRow};
use crate::shared::problem::{COME_BACK, Problem, Result};
use crate::shared::rates::RateAddress;
use crate::shared::store::error::Error;
use crate::shared::threads::{ThreadTurn, locked};
use crate::site::{Accounts, Site};

/// A file that is about to come.
pub(crate) struct PendingUpload {
    account: AccountRow,
    name: Name,
    games: Vec<String>,
    _slot: UploadSlot,
    _reserved: ReservedBytes,
}

/// The place of a file while it comes.
type UploadSlot = (
    ThreadTurn<AccountId>,
    ThreadTurn<RateAddress>,
    OwnedSemaphorePermit,
);

/// Room for a file while it comes.
struct ReservedBytes {
    bytes: u64,
    all: Arc<AtomicU64>,
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

impl PendingUpload {
    /// Takes a place for a file of an account, before anything of it is read. `length` is that of the request, if it
    /// is known, and `beside` the most that it has beside the file.
    pub(crate) fn begin(
        site: &Site,
        account: &AccountRow,
        address: RateAddress,
        length: Option<u64>,
        beside: u64,
    ) -> Result<UploadPermit> {
        let limiter = &site.accounts()?.uploads.limiter;
        let limits = &site.limits.uploads;
        let most = limits.file_bytes;
        let known = length.map_or(most, |length| length.min(most));
        refuse_large(length.map(|length| length.saturating_sub(beside)), most)?;
        let later = |message| Problem::too_many(message, COME_BACK);
        let turn = ThreadTurn::take(&limiter.accounts, account.id, 1)
            .ok_or_else(|| later("another file of yours is received now"))?;
        let of_address = ThreadTurn::take(&limiter.addresses, address, limits.of_address)
            .ok_or_else(|| later("too many uploads from your address are received now"))?;
        let place = Arc::clone(&limiter.places).try_acquire_owned();
        let place = place.map_err(|_| {
            Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many uploads are received now",
            )
            .retry_after(COME_BACK)
        })?;
        Ok(UploadPermit {
            account: account.clone(),
            most: known,
            slot: (turn, of_address, place),
        })
    }
}

/// A place for a file of which not even the name is known.
pub(crate) struct UploadPermit {
    account: AccountRow,
    most: u64,
    slot: UploadSlot,
}

impl UploadPermit {
    /// Makes sure that the file would be taken under this name.
    pub(crate) async fn named(
        self,
        site: &Arc<Site>,
        name: Name,
        games: Vec<String>,
    ) -> Result<PendingUpload> {
        let (account, most, asked) = (self.account.clone(), self.most, name.clone());
        let find = move |site: &Site| {
            if let Some(game) = games
                .iter()
                .find(|game| flipside_games::find(game).is_none())
            {
                let message = format!("there is no game {game:?}");
                return Err(Problem::unfit(message).at("game"));
            }
            Ok((find_room(site, &account, &asked, most)?, games))
        };
        let (room, games) = site.wait_for(find).await?;
        Ok(PendingUpload {
            account: self.account,
            name,
            games,
            _slot: self.slot,
            _reserved: room,
        })
    }

    /// Makes sure that there is room for the program of a game.
    async fn of_game(self, site: &Arc<Site>) -> Result<PendingGame> {
        let most = self.most;
        let reserved = site.wait_for(move |site| reserve(site, most)).await?;
        Ok(PendingGame {
            _slot: self.slot,
            _reserved: reserved,
        })
    }
}

/// The program of a game that is about to come.
struct PendingGame {
    _slot: UploadSlot,
    _reserved: ReservedBytes,
}

/// Makes sure that an account may upload a bot of this name, and that there is room for it.
fn find_room(site: &Site, account: &AccountRow, name: &Name, most: u64) -> Result<ReservedBytes> {
    let store = &site.accounts()?.store;
    let limits = &site.limits.uploads;
    let taken = is_taken(&site.arena, name.as_str())?;
    store.may_upload(account, name, taken, limits)?;
    let bytes = own_bytes(&site.arena, store, account.id)?;
    if bytes.saturating_add(most) > limits.account_bytes {
        return Err(
            Problem::new(StatusCode::INSUFFICIENT_STORAGE, too_much(bytes, limits))
                .hint(ASK_TO_DELETE),
        );
    }
    reserve(site, most)
}

/// Reserves room for a file of at most so many bytes.
fn reserve(site: &Site, most: u64) -> Result<ReservedBytes> {
    let Accounts { store, uploads, .. } = site.accounts()?;
    let _one_at_a_time = locked(&uploads.limiter.room);
    let all = &uploads.limiter.bytes;
    let pending = all.load(Ordering::Acquire).saturating_add(most);
    if store.waiting_bytes()?.saturating_add(pending) > site.limits.uploads.waiting_bytes {
        return Err(Problem::from(Error::QueueFull).retry_after(COME_BACK));
    }
    refuse_full_arena(site, pending)?;
    all.fetch_add(most, Ordering::AcqRel);
    Ok(ReservedBytes {
        bytes: most,
        all: Arc::clone(all),
    })
}

/// Makes sure that the arena may take so many bytes more.
fn refuse_full_arena(site: &Site, more: u64) -> Result<()> {
    if site.arena.size()?.saturating_add(more) > site.limits.most_disk.bytes() {
        let message = "the arena takes all the disk that it may";
        return Err(Problem::new(StatusCode::INSUFFICIENT_STORAGE, message));
    }
    Ok(())
}

fn refuse_large(length: Option<u64>, most: u64) -> Result<()> {
    match length {
        Some(length) if length > most => Err(too_large(most)),
        _ => Ok(()),
    }
}

fn too_large(most: u64) -> Problem {
    let message = format!("a file may have {most} bytes, and this one has more");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message).at("file")
}

/// A file that was received to its end.
struct ReceivedFile {
    incoming: NamedTempFile,
    size: u64,
    sha256: String,
    /// How its name must end.
    ending: &'static str,
}

/// What came, before it is looked into.
struct IncomingFile {
    file: ReceivedFile,
    kind: ReceivedKind,
    /// The name that its sender gave it; empty where there is none.
    name: String,
}

impl IncomingFile {
    /// The file as an arena takes it: what is packed otherwise becomes a bundle.
    fn repacked(self, site: &Site, folder: &UploadFolder, is_game: bool) -> Result<ReceivedFile> {
        let IncomingFile { file, kind, name } = self;
        let form = match kind {
            ReceivedKind::Program(ending) => return Ok(ReceivedFile { ending, ..file }),
            ReceivedKind::Repacked(form) => form,
        };
        let mut bundle = folder.incoming()?;
        let received = (file.incoming.as_file(), &*name);
        let packed = repack(form, received, is_game, folder.room(), bundle.as_file_mut());
        packed.map_err(|failure| Problem::from(failure).at("file"))?;
        let size = bundle.as_file().metadata()?.len();
        refuse_large(Some(size), site.limits.uploads.file_bytes)?;
        let mut hash = Sha256::new();
        let mut packed = std::fs::File::open(bundle.path())?;
        std::io::copy(&mut packed, &mut HashWriter(&mut hash))?;
        Ok(ReceivedFile {
            incoming: bundle,
            size,
            sha256: hex::encode(hash.finalize()),
            ending: BUNDLE_ENDING,
        })
    }
}

/// Sums up what is written.
struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Receives a file to its end, and notes it for its check. `name` is that of the file, where it has one. When this
/// returns, it is on the disk.
pub(super) async fn receive<E: Display>(
    site: &Arc<Site>,
    pending: PendingUpload,
    name: &str,
    body: impl Stream<Item = std::result::Result<Bytes, E>>,
) -> Result<UploadId> {
    let folder = Arc::clone(&site.accounts()?.uploads.folder);
    let received = receive_file(site, &folder, name, body).await?;
    let note = move |site: &Site| {
        let ReceivedFile {
            incoming,
            size,
            sha256,
            ending,
        } = received.repacked(site, &folder, false)?;
        let file = folder.keep(incoming, ending)?;
        let noted = note_upload(site, &pending, size, &sha256, &file);
        if noted.is_err() {
            folder.remove(&file);
        }
        noted
    };
    // It runs to its end, also if the visitor goes meanwhile.
    site.wait_for(note).await
}

/// Receives the program of a game to its end, checks it, and adds it to the arena.
pub(crate) async fn receive_game<E: Display>(
    site: &Arc<Site>,
    permit: UploadPermit,
    name: &str,
    body: impl Stream<Item = std::result::Result<Bytes, E>>,
) -> Result<AddedGame> {
    let pending = permit.of_game(site).await?;
    let folder = Arc::clone(&site.accounts()?.uploads.folder);
    let received = receive_file(site, &folder, name, body).await?;
    let add = move |site: &Site| {
        // Its place is free when the check is over.
        let _pending = pending;
        let received = received.repacked(site, &folder, true)?;
        let file = folder.keep(received.incoming, received.ending)?;
        let path = folder.path(&file);
        let added = add_game(site.arena.path(), &path, Processes::default(), &mut |_| {
            Ok(())
        });
        folder.remove(&file);
        let added = added.map_err(|failure| failure.with_path(&path, Path::new("the file")));
        added.map_err(|failure| Problem::from(failure).at("file"))
    };
    site.wait_for(add).await
}

/// Receives a file to its end.
async fn receive_file<E: Display>(
    site: &Arc<Site>,
    folder: &UploadFolder,
    name: &str,
    body: impl Stream<Item = std::result::Result<Bytes, E>>,
) -> Result<IncomingFile> {
    let limits = &site.limits.uploads;
    let incoming = folder.incoming()?;
    let writing = write(site, &incoming, body);
    let written = timeout(limits.time, writing).await;
    let (size, sha256, head) = written.map_err(|_| too_slow())??;
    if size == 0 {
        return Err(Problem::unfit("the file is empty")
            .hint("choose a file")
            .at("file"));
    }
    let kind = ReceivedKind::of(&head, name).map_err(|failure| Problem {
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ..Problem::from(failure).at("file")
    })?;
    Ok(IncomingFile {
        file: ReceivedFile {
            incoming,
            size,
            sha256,
            ending: "",
        },
        kind,
        name: name.to_owned(),
    })
}

fn note_upload(
    site: &Site,
    pending: &PendingUpload,
    size: u64,
    sha256: &str,
    file: &str,
) -> Result<UploadId> {
    let Accounts { store, uploads, .. } = site.accounts()?;
    let new = NewUpload {
        name: &pending.name,
        games: &pending.games,
        file,
        size,
        sha256,
    };
    let taken = is_taken(&site.arena, pending.name.as_str())?;
    let limits = &site.limits.uploads;
    let id = store.add_upload(&pending.account, &new, taken, limits, unix_ms())?;
    uploads.queue.wake();
    Ok(id)
}

fn too_slow() -> Problem {
    Problem::new(
        StatusCode::REQUEST_TIMEOUT,
        "the upload took too long and was given up",
    )
}

/// Writes what comes; gives its size, its SHA-256 and its beginning. It is given up when too little comes: who sends a
/// byte now and then would hold a place for hours.
async fn write<E: Display>(
    site: &Site,
    incoming: &NamedTempFile,
    body: impl Stream<Item = std::result::Result<Bytes, E>>,
) -> Result<(u64, String, Vec<u8>)> {
    let limits = &site.limits.uploads;
    let mut file = tokio::fs::File::from_std(incoming.as_file().try_clone()?);
    let (mut size, mut hash, mut head) = (0_u64, Sha256::new(), Vec::new());
    let mut body = std::pin::pin!(body);
    let (mut end, mut enough) = (Instant::now() + limits.pace, limits.least);
    loop {
        let next = match timeout_at(end, body.next()).await {
            Ok(next) => next,
            Err(_) if size < enough => return Err(too_slow()),
            Err(_) => {
                (end, enough) = (Instant::now() + limits.pace, size + limits.least);
                continue;
            }
        };
        let Some(bytes) = next else {
            break;
        };
        let bytes =
            bytes.map_err(|error| Problem::refused(format!("the upload broke off: {error}")))?;
        size += bytes.len() as u64;
        refuse_large(Some(size), limits.file_bytes)?;
        let more = RECEIVED_HEAD.saturating_sub(head.len()).min(bytes.len());
        head.extend_from_slice(&bytes[..more]);
        hash.update(&bytes);
        file.write_all(&bytes).await?;
    }
    file.flush().await?;
    Ok((size, hex::encode(hash.finalize()), head))
}
