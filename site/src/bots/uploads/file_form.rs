//! A form whose last field is a file: what comes before it is read first, and is short.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartRejection};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// What a form has beside its file, in bytes: names, games and what stands between them.
pub(crate) const FORM_BYTES: u64 = 64 << 10;

/// The longest text in a field of the form, in bytes.
const MAX_FIELD: usize = 256;

/// A form as a handler gets it.
pub(crate) type MultipartForm = Result<Multipart, MultipartRejection>;

/// A form that is read field by field.
pub(crate) struct FileForm {
    form: Multipart,
    /// Until when everything before the file must have come.
    end: Instant,
}

/// A field of a form.
pub(crate) enum FormPart<'a> {
    /// The file, which is still to come.
    File(Box<Field<'a>>),
    /// The name of another field, and what is in it.
    Text(String, String),
}

impl FileForm {
    pub(crate) fn of(form: MultipartForm, site: &Site) -> Result<Self> {
        let form = form.map_err(|_| Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))?;
        let end = Instant::now() + site.limits.uploads.pace;
        Ok(FileForm { form, end })
    }

    /// The next field. The file is the last one.
    pub(crate) async fn next(&mut self) -> Result<FormPart<'_>> {
        let next = timeout_at(self.end, self.form.next_field()).await;
        let next = next.map_err(|_| Problem::of_status(StatusCode::REQUEST_TIMEOUT))?;
        let next =
            next.map_err(|error| Problem::refused(format!("the form is not understood: {error}")))?;
        let Some(field) = next else {
            return Err(Problem::unfit("there is no file")
                .hint("choose a file")
                .at("file"));
        };
        match field.name().map(str::to_owned) {
            Some(name) if name == "file" => Ok(FormPart::File(Box::new(field))),
            Some(name) => Ok(FormPart::Text(name, text(field, self.end).await?)),
            None => Err(unknown_field()),
        }
    }
}

/// A form with a field that its page does not have.
pub(crate) fn unknown_field() -> Problem {
    Problem::unfit("the form has a field that is not understood")
}

/// How long a request says that its body is.
pub(crate) fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A short field.
async fn text(mut field: Field<'_>, end: Instant) -> Result<String> {
    let refused = || Problem::unfit("a form field is too long or not UTF-8");
    let mut bytes = Vec::new();
    loop {
        let next = timeout_at(end, field.chunk()).await;
        let next = next.map_err(|_| Problem::of_status(StatusCode::REQUEST_TIMEOUT))?;
        let Some(more) = next.map_err(|_| refused())? else {
            break;
        };
        if bytes.len() + more.len() > MAX_FIELD {
            return Err(refused());
        }
        bytes.extend_from_slice(&more);
    }
    String::from_utf8(bytes).map_err(|_| refused())
}
