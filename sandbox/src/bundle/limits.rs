//! The limits of bundles that their errors name, and the names of their manifests.

/// The file that makes a folder the bundle of a bot.
pub const MANIFEST: &str = "bot.toml";

/// The file that makes a folder the bundle of a game.
pub const GAME_MANIFEST: &str = "game.toml";

/// Whether a path in a bundle is that of a manifest.
pub(crate) fn is_manifest(path: &str) -> bool {
    [MANIFEST, GAME_MANIFEST].contains(&path)
}

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
