//! Files are written whole or not at all.
#![cfg(unix)]

use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::{env, fs, process};

use ldfi_report::disk;

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("ldfi-disk-{name}-{}", process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_device_is_written_and_stays_a_device() {
    disk::write("/dev/null".as_ref(), "gone").unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let full = disk::write("/dev/full".as_ref(), "too much");
    assert!(full.is_err() || !PathBuf::from("/dev/full").exists());
}

#[test]
fn a_link_is_followed_to_what_is_not_there_yet() {
    let folder = folder("dangling");
    symlink("middle", folder.join("link")).unwrap();
    symlink(folder.join("end"), folder.join("middle")).unwrap();
    disk::write(&folder.join("link"), "text").unwrap();
    assert_eq!(fs::read_to_string(folder.join("end")).unwrap(), "text");
    assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
    symlink("loop", folder.join("loop")).unwrap();
    assert!(disk::write(&folder.join("loop"), "text").is_err());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_may_not_be_written_is_not_replaced() {
    let folder = folder("kept");
    fs::create_dir(folder.join("taken")).unwrap();
    assert!(disk::write(&folder.join("taken"), "text").is_err());
    let file = folder.join("file");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    // To some, no file is read-only.
    let locked = fs::OpenOptions::new().write(true).open(&file).is_err();
    assert_eq!(disk::write(&file, "new").is_err(), locked);
    assert_eq!(fs::read_to_string(&file).unwrap(), if locked { "old" } else { "new" });
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o444);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left beside it");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_is_made_and_named_if_it_cannot_be() {
    let folder = folder("into");
    let path = disk::write_into(&folder.join("a/b"), "c", "text").unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "text");
    let error = disk::write_into(&folder.join("a/b/c/d"), "e", "text").unwrap_err();
    assert!(error.to_string().starts_with("cannot write ") && error.path.ends_with("a/b/c/d"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}
