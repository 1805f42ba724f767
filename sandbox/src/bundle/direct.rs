//! Reading bundles without files of their own: for the fuzz target.

use std::fs;
use std::path::Path;

use crate::bundle::archive;
use crate::bundle::error::BundleError;
use crate::bundle::limits::{LARGEST_BUNDLE, MANIFEST, MAX_ENTRIES};
use crate::bundle::manifest::Manifest;
use crate::bundle::reader::{BundleReader, BundleSum};
use crate::bundle::store::sum_of;
use crate::bundle::unpack::{Unpacker, remove_folder};

/// Understands a manifest.
///
/// # Errors
/// Says what is wrong with it.
pub fn parse_manifest(bytes: &[u8]) -> Result<(), BundleError> {
    Manifest::parse(bytes, MANIFEST).map(drop)
}

/// Unpacks an archive before its compression into an empty folder, and empties that again.
///
/// # Errors
/// Says what is wrong with it.
///
/// # Panics
/// Where what was unpacked is not what was read, or leads out of the folder.
pub fn unpack_archive(mut bytes: &[u8], into: &Path) -> Result<(), BundleError> {
    let any = BundleSum {
        sha256: String::new(),
        entries: MAX_ENTRIES,
        bytes: LARGEST_BUNDLE,
    };
    let mut unpacker = Unpacker::new(into, &any);
    let mut reader = BundleReader::new(&mut unpacker, true);
    let sum = archive::read_tar(&mut bytes, &mut reader).and_then(|()| reader.finish());
    stays_inside(into, into);
    let same = sum.map(|sum| {
        assert_eq!(sum_of(into).expect("it was just unpacked"), sum);
    });
    remove_folder(into).expect("it is ours");
    fs::create_dir(into).expect("there is room for it");
    same
}

/// Makes sure that whatever can be reached from a folder lies in the bundle's.
fn stays_inside(folder: &Path, bundle: &Path) {
    for entry in fs::read_dir(folder).expect("it is ours").flatten() {
        let path = entry.path();
        if let Ok(real) = path.canonicalize() {
            let bundle = bundle.canonicalize().expect("it is there");
            assert!(real.starts_with(bundle), "{}", path.display());
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            stays_inside(&path, bundle);
        }
    }
}
