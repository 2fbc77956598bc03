//! Writes the man pages of `circinus` and its commands into a folder: `man_pages FOLDER`.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: man_pages FOLDER"))?;
    fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(circinus::command::command_line(), folder)
}
