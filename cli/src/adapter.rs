//! Host adapters: the only rooms that know a host's JSON.

pub mod claude_code;
