//! What is unpacked is whole, stays as long as it is used, and never takes more than its room.

use super::*;
use crate::bundle::tests::{MANY, bundle_of, open, write_all};

fn shared(cache: &Path) -> Arc<Store> {
    Arc::new(Store::open(Some(cache)).unwrap())
}

/// A store with room for so many bundles of [`of`], for which nobody waits.
fn small(cache: &Path, bundles: u64) -> Arc<Store> {
    let limits = StoreLimits {
        bytes: bundles * on_disk(&of(0).1.sum),
        patience: Duration::ZERO,
    };
    Arc::new(Store::at(cache, limits).unwrap())
}

/// A bundle of which there are several, all of one size, that takes more on the disk than its files have bytes.
fn of(number: u64) -> (tempfile::TempDir, Bundle) {
    let text = number.to_string();
    let folder = bundle_of(&[
        ("weights/a", &text),
        ("weights/b", ""),
        ("link", "->bot.py"),
    ]);
    let bundle = open(folder.path()).unwrap();
    (folder, bundle)
}

fn hold(store: &Arc<Store>, bundle: &Bundle) -> Result<Unpacked, BundleError> {
    let held = store.hold(&[bundle], &mut || ());
    held.map(|mut held| held.remove(0))
        .map_err(|(_, error)| error)
}

/// The unpacked bundles of a cache, by their SHA-256.
fn there(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache.join(FOLDER)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != CHANGE).collect();
    names.sort();
    names
}

fn sorted(bundles: &[&Bundle]) -> Vec<String> {
    let mut all: Vec<String> = bundles
        .iter()
        .map(|bundle| bundle.sum.sha256.clone())
        .collect();
    all.sort();
    all
}

#[test]
fn a_bundle_takes_on_the_disk_what_was_reckoned() {
    let cache = tempfile::tempdir().unwrap();
    let store = shared(cache.path());
    for files in [&MANY[..], &[("a/b/c/d", "17")]] {
        let folder = bundle_of(files);
        let bundle = open(folder.path()).unwrap();
        let held = hold(&store, &bundle).unwrap();
        assert_eq!(size_of(held.folder()), on_disk(&bundle.sum));
    }
}

#[test]
fn while_matches_are_played_what_none_of_them_uses_goes_first_and_the_limit_holds() {
    let cache = tempfile::tempdir().unwrap();
    let [(_a, a), (_b, b), (_c, c), (_d, d)] = [1, 2, 3, 4].map(of);
    let store = small(cache.path(), 2);
    let used = hold(&store, &a).unwrap();
    drop(hold(&store, &b).unwrap());
    assert_eq!(there(cache.path()), sorted(&[&a, &b]));
    // The one that was used last, but by nobody now.
    let also_used = hold(&store, &c).unwrap();
    assert_eq!(there(cache.path()), sorted(&[&a, &c]));
    assert!(used.folder().join("weights/a").exists());
    // Another process has a lock of its own, and counts the same folder.
    let other = small(cache.path(), 2);
    for store in [&store, &other] {
        let error = hold(store, &d).unwrap_err();
        assert!(matches!(error, BundleError::StoreInUse { .. }), "{error}");
        assert_eq!(there(cache.path()), sorted(&[&a, &c]));
    }
    drop(used);
    let used = hold(&other, &d).unwrap();
    assert_eq!(there(cache.path()), sorted(&[&c, &d]));
    drop((used, also_used));
}

#[test]
fn what_was_left_half_done_counts_until_it_is_removed_and_is_removed_first() {
    let cache = tempfile::tempdir().unwrap();
    let [(_a, a), (_b, b)] = [1, 2].map(of);
    let store = small(cache.path(), 2);
    drop(hold(&store, &a).unwrap());
    let left = cache.path().join(FOLDER).join(".new-17");
    write_all(&left, &[("weights/a", "17"), ("weights/b", "")]);
    drop(hold(&store, &b).unwrap());
    assert_eq!(there(cache.path()), sorted(&[&a, &b]));
}

#[test]
fn the_bundles_of_a_match_are_there_together_or_not_at_all() {
    let cache = tempfile::tempdir().unwrap();
    let [(_a, a), (_b, b), (_c, c)] = [1, 2, 3].map(of);
    let store = small(cache.path(), 2);
    let mut asked = 0;
    let (at, error) = store.hold(&[&a, &b, &c], &mut || asked += 1).unwrap_err();
    assert!(
        matches!(error, BundleError::LargerThanStore { .. }),
        "{error}"
    );
    assert_eq!((at, there(cache.path())), (2, Vec::new()));
    // One that plays against itself is there once.
    let held = store.hold(&[&a, &b, &a, &b], &mut || asked += 1).unwrap();
    assert_eq!(held[0].folder(), held[2].folder());
    assert_eq!(asked, 0);
    // Who waits holds nothing: the other match can go on.
    let error = store.hold(&[&c, &a], &mut || asked += 1).unwrap_err().1;
    assert!(matches!(error, BundleError::StoreInUse { .. }), "{error}");
    drop(held);
    assert_eq!(asked, 1);
    drop(store.hold(&[&c, &a], &mut || asked += 1).unwrap());
    assert_eq!(there(cache.path()), sorted(&[&a, &c]));
    assert_eq!(asked, 1);
}

#[test]
fn a_match_that_has_no_room_waits_until_another_is_over() {
    let cache = tempfile::tempdir().unwrap();
    let [(_a, a), (_b, b)] = [1, 2].map(of);
    let patient = StoreLimits {
        bytes: on_disk(&a.sum),
        patience: Duration::MAX,
    };
    let store = Arc::new(Store::at(cache.path(), patient).unwrap());
    let held = hold(&store, &a).unwrap();
    assert!(!store.is_short());
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| hold(&store, &b).unwrap().folder().exists());
        // The bots that only wait for their next match are asked to end.
        while !store.is_short() {
            std::thread::yield_now();
        }
        assert_eq!(there(cache.path()), sorted(&[&a]));
        drop(held);
        assert!(waits.join().unwrap());
    });
    assert!(!store.is_short());
    assert_eq!(there(cache.path()), sorted(&[&b]));
}

#[test]
fn what_gave_its_room_back_is_unpacked_again_and_takes_no_more_than_was_reckoned() {
    let cache = tempfile::tempdir().unwrap();
    let [(folder, a), (_b, b)] = [1, 2].map(of);
    let store = small(cache.path(), 1);
    for bundle in [&a, &b, &a, &b] {
        let held = hold(&store, bundle).unwrap();
        assert!(held.folder().join("weights/a").exists());
        assert_eq!(there(cache.path()), sorted(&[bundle]));
    }
    // It grows after it was opened.
    fs::write(folder.path().join("weights/a"), "999").unwrap();
    let new = store.passing().unwrap();
    let mut unpacker = Unpacker::new(&new, &a.sum);
    let error = a.read_again(&mut unpacker).unwrap_err();
    assert!(matches!(error, BundleError::Changed), "{error}");
    assert!(size_of(&new) <= on_disk(&a.sum));
}

#[test]
fn nothing_is_left_of_a_bundle_that_cannot_be_unpacked() {
    let folder = bundle_of(&MANY);
    let bundle = open(folder.path()).unwrap();
    fs::write(folder.path().join("weights/a.bin"), "18").unwrap();
    let cache = tempfile::tempdir().unwrap();
    let store = shared(cache.path());
    let error = hold(&store, &bundle).unwrap_err();
    assert!(matches!(error, BundleError::Changed), "{error}");
    let left: Vec<_> = fs::read_dir(cache.path().join("bundles"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "the lock alone: {left:?}");
}

#[test]
fn a_store_heals_clears_and_is_shared() {
    let folder = bundle_of(&MANY);
    let bundle = open(folder.path()).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let here = cache.path().join("bundles");
    let first = shared(cache.path());
    let unpacked = hold(&first, &bundle).unwrap().folder().to_owned();
    // Somebody changes it, and somebody is killed.
    remove_folder(&unpacked.join("weights")).unwrap_or_default();
    fs::set_permissions(&unpacked, Permissions::from_mode(0o755)).unwrap();
    fs::write(unpacked.join("more"), "").unwrap();
    fs::create_dir(here.join(".new-17")).unwrap();
    let second = shared(cache.path());
    assert_eq!(hold(&second, &bundle).unwrap().folder(), unpacked);
    assert!(!unpacked.join("more").exists());
    assert!(!here.join(".new-17").exists());
    // One of its own ends with its process, or is cleared away by the next.
    let own = Arc::new(Store::open(None).unwrap());
    let held = hold(&own, &bundle).unwrap();
    let place = held.folder().to_owned();
    assert!(place.exists());
    let other = Store::open(None).unwrap();
    assert!(place.exists());
    drop(own);
    assert!(place.exists());
    drop(held);
    assert!(!place.parent().unwrap().exists());
    drop(other);
}

#[test]
fn whatever_a_killed_process_leaves_of_its_store_goes_and_nothing_else() {
    let around = tempfile::tempdir().unwrap();
    let at = |name: &str| around.path().join(name);
    // Killed before there was a lock, with its lock, while it unpacked, and while it removed all.
    fs::create_dir(at("flipside-bundles-new")).unwrap();
    write_all(
        around.path(),
        &[
            ("flipside-bundles-locked/lock", ""),
            ("flipside-bundles-full/lock", ""),
            ("flipside-bundles-full/.new-1/weights/a", "17"),
            ("flipside-bundles-full/0123/a", "17"),
            ("flipside-bundles-odd/a", "it has no lock, and is not empty"),
            ("flipside-bundles-file", ""),
            ("flipside-bundles-link", "->flipside-bundles-odd"),
            ("somebody/a", "17"),
        ],
    );
    let closed = at("flipside-bundles-full/0123");
    fs::set_permissions(closed, Permissions::from_mode(0o555)).unwrap();
    let other = Store::own(around.path()).unwrap();
    let store = Store::own(around.path()).unwrap();
    drop((store, other));
    let mut left: Vec<_> = fs::read_dir(around.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let due = [
        "flipside-bundles-file",
        "flipside-bundles-link",
        "flipside-bundles-odd",
        "somebody",
    ];
    assert_eq!(left, due);
}

#[test]
fn nobody_else_can_enter_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let _in_cache = Store::open(Some(&cache)).unwrap();
    let own = Store::own(folder.path()).unwrap();
    for folder in [&cache, &cache.join(FOLDER), &own.folder] {
        let mode = fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
}

#[test]
fn stores_that_begin_and_end_at_once_do_not_clear_one_another_away() {
    let folder = bundle_of(&MANY);
    let bundle = open(folder.path()).unwrap();
    let around = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let store = Arc::new(Store::own(around.path()).unwrap());
                    let held = hold(&store, &bundle).unwrap();
                    assert!(held.folder().join("bot.toml").exists());
                }
            });
        }
    });
    assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
}
