//! A tournament as files, written by the same code as those of `flipside export`.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Path as Address;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flipside_operations::{ExportKind, write_public_export};
use flipside_tournament::{Name, Tournament};
use futures_util::stream;
use tokio::io::AsyncReadExt;

use super::organiser_api::known;
use crate::shared::answer_headers::{attachment, etag, revalidated, tag};
use crate::shared::assets;
use crate::shared::page::{Routes, Visit};
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// The most bytes of a file.
const LARGEST: u64 = 256 << 20;

/// The bytes that are sent at once.
const CHUNK: usize = 64 << 10;

/// A kind of file.
struct FileKind {
    ending: &'static str,
    /// What people read.
    title: &'static str,
    content_type: &'static str,
}

/// Those that are offered, in their order.
const KINDS: [FileKind; 6] = [
    FileKind {
        ending: "html",
        title: "Web page",
        // It has styles of its own, which the site does not let pages have.
        content_type: "application/octet-stream",
    },
    FileKind {
        ending: "csv",
        title: "Results as CSV",
        content_type: "text/csv; charset=utf-8",
    },
    FileKind {
        ending: "json",
        title: "Results as JSON",
        content_type: "application/json",
    },
    FileKind {
        ending: PGN,
        title: "Results as PGN",
        content_type: "application/x-chess-pgn",
    },
    FileKind {
        ending: TRF,
        title: "Results as TRF",
        content_type: "text/plain; charset=utf-8",
    },
    FileKind {
        ending: "svg",
        title: "Cross table as a picture",
        content_type: "image/svg+xml",
    },
];

/// It may have the moves of records, which are shown when all is over.
const PGN: &str = "pgn";

/// It is for games of two seats.
const TRF: &str = "trf";

/// The endings and titles of the files of a tournament.
pub(super) fn downloads(
    tournament: &Tournament,
    is_over: bool,
) -> Vec<(&'static str, &'static str)> {
    let is_of_two = tournament.settings.seats == 2;
    let is_offered = |kind: &&FileKind| match kind.ending {
        PGN => is_of_two && is_over,
        TRF => is_of_two,
        _ => true,
    };
    let kinds = KINDS.iter().filter(is_offered);
    kinds.map(|kind| (kind.ending, kind.title)).collect()
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/tournaments/{name}/files/{file}", get(file))
}

async fn file(Address((name, file)): Address<(String, String)>, visit: Visit) -> Result<Response> {
    let name = known(&name)?;
    let ending = file.strip_prefix(&format!("{name}."));
    let kind = ending.and_then(|ending| KINDS.iter().find(|kind| kind.ending == ending));
    let Some(kind) = kind else {
        return Err(Problem::not_found(format!("there is no file {file:?}")));
    };
    let asked = name.clone();
    let stamp = move |reading: &ReadContext<'_>| stamp_of_file(reading, &asked);
    let known = tag_of(visit.site.read(stamp.clone()).await?, kind);
    if let Some(unchanged) = visit.unchanged(&known) {
        return Ok(unchanged);
    }
    let place = Arc::clone(&visit.site.writers).acquire_owned().await;
    let make = move |reading: &ReadContext<'_>| {
        let _place = place;
        let _moment = reading.journal.snapshot()?;
        Ok((stamp(reading)?, write(reading, &name, kind)?))
    };
    let (stamp, (written, length)) = visit.site.read(make).await?;
    let headers = [
        (ETAG, tag_of(stamp, kind)),
        (CONTENT_TYPE, HeaderValue::from_static(kind.content_type)),
        (CONTENT_DISPOSITION, attachment(&file)),
        (CONTENT_LENGTH, length.into()),
        (CACHE_CONTROL, revalidated()),
    ];
    Ok((headers, Body::from_stream(chunks(written))).into_response())
}

/// What a file derives from. Names of bots and the like in it do not change.
fn stamp_of_file(reading: &ReadContext<'_>, name: &Name) -> Result<u64> {
    let tournament = reading.journal.tournament(name.as_str())?;
    let is_over = reading.is_over(&tournament)?;
    reading.stamp_of_news(&tournament, is_over)
}

/// The tag of a file of this build: another may write it in another way.
fn tag_of(stamp: u64, kind: &FileKind) -> HeaderValue {
    let build = assets::build().as_bytes();
    etag(&tag(&[&stamp.to_le_bytes(), kind.ending.as_bytes(), build]))
}

/// Writes a file that has no name, and gives its length.
fn write(reading: &ReadContext<'_>, name: &Name, kind: &FileKind) -> Result<(File, u64)> {
    let tournament = reading.journal.tournament(name.as_str())?;
    let is_over = reading.is_over(&tournament)?;
    if kind.ending == PGN && !is_over {
        let what = format!("{name} is not over, and its moves are shown then");
        return Err(Problem::new(StatusCode::CONFLICT, what));
    }
    let of = ExportKind::of(Path::new(&format!("{name}.{}", kind.ending)))?;
    let mut out = BoundedFile {
        file: tempfile::tempfile()?,
        written: 0,
    };
    let written = write_public_export(reading.journal, &tournament, of, is_over, &mut out);
    if out.written > LARGEST {
        let what = "the file would be too large to be made here";
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, what)
            .hint("ask the organiser for it, or read the results page by page with the API"));
    }
    written?;
    let BoundedFile { mut file, written } = out;
    file.rewind()?;
    Ok((file, written))
}

/// A file of at most [`LARGEST`] bytes.
struct BoundedFile {
    file: File,
    written: u64,
}

impl Write for BoundedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written += bytes.len() as u64;
        if self.written > LARGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The content of a file, piece by piece.
fn chunks(file: File) -> impl stream::Stream<Item = io::Result<Bytes>> {
    let file = tokio::fs::File::from_std(file);
    stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        let count = file.read(&mut chunk).await?;
        chunk.truncate(count);
        Ok((count > 0).then(|| (Bytes::from(chunk), file)))
    })
}
