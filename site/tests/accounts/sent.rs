//! Files as browsers and scripts send them.

use axum::body::Body;
use axum::http::Method;

use crate::browser::{Browser, BrowserAnswer};

const BOUNDARY: &str = "----a-boundary";

/// A form with a file, and how it is sent.
pub(crate) struct SentFile {
    fields: Vec<(&'static str, String)>,
    file_name: String,
    file: Vec<u8>,
}

impl SentFile {
    pub(crate) fn new(name: &str, file: impl Into<Vec<u8>>) -> Self {
        SentFile {
            fields: vec![("name", name.to_owned())],
            file_name: "bot.sh".to_owned(),
            file: file.into(),
        }
    }

    pub(crate) fn with(mut self, field: &'static str, value: &str) -> Self {
        self.fields.push((field, value.to_owned()));
        self
    }

    pub(crate) fn named(mut self, file_name: &str) -> Self {
        self.file_name = file_name.to_owned();
        self
    }

    fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for (name, value) in &self.fields {
            body.extend(
                format!(
                    "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
                )
                .into_bytes(),
            );
        }
        body.extend(
            format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
                 content-type: application/octet-stream\r\n\r\n",
                self.file_name
            )
            .into_bytes(),
        );
        body.extend(&self.file);
        body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
        body
    }

    /// Sends it with the word of the session.
    pub(crate) async fn send(self, browser: &mut Browser<'_>) -> BrowserAnswer {
        let word = browser.word().await;
        let mut form = self;
        form.fields.insert(0, ("word", word));
        form.send_as_it_is(browser).await
    }

    pub(crate) async fn send_as_it_is(self, browser: &mut Browser<'_>) -> BrowserAnswer {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = browser
            .request(Method::POST, "/upload")
            .header("content-type", kind)
            .body(Body::from(self.body()));
        browser.send(request.unwrap()).await
    }
}
