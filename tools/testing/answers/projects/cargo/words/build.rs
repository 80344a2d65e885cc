// SPDX-License-Identifier: GPL-2.0
//! Makes a table of what words.txt has.
use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=words.txt");
    let words = fs::read_to_string("words.txt").unwrap();
    let list: Vec<String> = words.lines().map(|w| format!("{:?}", w)).collect();
    let text = format!("pub static ALL: &[&str] = &[{}];\n", list.join(", "));
    let out = env::var("OUT_DIR").unwrap();
    fs::write(Path::new(&out).join("table.rs"), text).unwrap();
}
