//! What is true and what is allowed.
//!
//! This crate is the pure centre of Circinus: ids, effects, the authority lattice, operands and their
//! canonical forms, artifacts and their lineage, evidence, the policy and the gate. It knows no file
//! system, network, environment, process, clock, thread or terminal; everything it needs arrives as a
//! value, and everything it decides leaves as one.
#![forbid(unsafe_code)]

pub mod action;
pub mod artifact;
pub mod authority;
pub mod copied;
pub mod digest;
pub mod effect;
pub mod endorsement;
pub mod enquiry;
pub mod event;
pub mod evidence;
pub mod explain;
pub mod gate;
pub mod id;
pub mod index;
pub mod ingest;
pub mod limits;
pub mod lineage;
pub mod operand;
pub mod origin;
pub mod payload;
pub mod policy;
pub mod port;
pub mod time;
pub mod view;
