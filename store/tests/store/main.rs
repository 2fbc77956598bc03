//! The store from the outside: what is acknowledged stays, whatever happens to process, disk or file.

mod child;
mod crash;
mod fault;
mod harness;
mod open;
mod query;
mod sample;
mod tamper;
mod writer;
