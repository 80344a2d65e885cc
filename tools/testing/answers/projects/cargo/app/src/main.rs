// SPDX-License-Identifier: GPL-2.0
mod show;

fn main() {
    for word in words::ALL {
        show::line(word, shapes::area(word.len()));
    }
}
