//! The limits of bundles that their errors name, and the name of their `bot.toml`.

/// The file that makes a folder a bundle.
pub const MANIFEST: &str = "bot.toml";

/// The longest `bot.toml`, in bytes.
pub const LONGEST_MANIFEST: u64 = 64 * 1024;

/// The longest path of an entry, in bytes.
pub const LONGEST_PATH: usize = 512;

/// The longest target of a link, in bytes.
pub const LONGEST_LINK: usize = 512;

/// How many folders deep an entry may lie.
pub const MAX_DEPTH: usize = 32;

/// The most bytes that the files of a bundle have together. A Python with numpy has a tenth of it.
pub const LARGEST_BUNDLE: u64 = 1024 * 1024 * 1024;

/// The most files, folders and links of a bundle. A large `node_modules` has half as many.
pub const MAX_ENTRIES: u64 = 50_000;

/// The most bytes of files that a bundle with a module may have: they lie in memory while it plays.
pub const LARGEST_CONTENT: u64 = 64 * 1024 * 1024;

/// The largest packed bundle, in bytes of its file.
pub const LARGEST_PACKED: u64 = crate::sizes::LARGEST_PROGRAM;
