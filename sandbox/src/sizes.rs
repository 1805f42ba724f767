//! How large the files of bots may be.

/// The largest WebAssembly module, in bytes of its file. An interpreter of a large language with
/// its library has room.
pub const LARGEST_MODULE: u64 = 32 * 1024 * 1024;

/// The largest module that is WebAssembly text, in bytes of its file: to read text takes many times
/// its size.
pub const LARGEST_TEXT: u64 = 1024 * 1024;

/// The largest program, in bytes of its file.
pub const LARGEST_PROGRAM: u64 = 256 * 1024 * 1024;
