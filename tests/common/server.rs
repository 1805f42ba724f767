//! A running `flipside serve`.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::flipside;

/// A server, ended with the test.
pub(crate) struct TestServer {
    pub(crate) child: Child,
    address: SocketAddr,
    said: BufReader<std::process::ChildStderr>,
}

impl TestServer {
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = flipside(folder)
            .arg("serve")
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        let address = line.trim().strip_prefix("http://");
        let Some(address) = address.and_then(|address| address.trim_end_matches('/').parse().ok())
        else {
            let mut told = String::new();
            let _ = child.kill();
            let _ = { said }.read_to_string(&mut told);
            panic!("no address in {line:?}: {told}");
        };
        TestServer {
            child,
            address,
            said,
        }
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// The status line and the rest of an answer, after which the server closes.
    pub(crate) fn get(&self, path: &str) -> (String, String) {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (status, rest) = text.split_once("\r\n").unwrap();
        (status.to_owned(), rest.to_owned())
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// How it ended, and what it had said.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
