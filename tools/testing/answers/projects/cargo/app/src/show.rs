// SPDX-License-Identifier: GPL-2.0
pub fn line(word: &str, area: usize) {
    println!("{}{} {}", include_str!("prefix.txt"), word, area);
}
