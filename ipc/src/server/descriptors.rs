//! Descriptors: as many as the connections need, without taking those of the rest of the process.

use crate::limits::{CONNECTIONS_MIN, DESCRIPTORS_RESERVED};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files as far as `connections` need and the hard limit allows; returns how many
/// connections it carries.
pub(super) fn make_room(connections: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let needed = (connections + DESCRIPTORS_RESERVED) as u64;
    let allowed = maximum.map_or(needed, |maximum| maximum.min(needed));
    let soft = match current {
        Some(soft) if soft < allowed => {
            // Where even this is refused, the limit stays and the connections are cut to it.
            setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum }).map_or(soft, |()| allowed)
        }
        Some(soft) => soft,
        None => needed,
    };
    connections.min(carried(soft))
}

fn carried(descriptors: u64) -> usize {
    usize::try_from(descriptors)
        .unwrap_or(usize::MAX)
        .saturating_sub(DESCRIPTORS_RESERVED)
        .max(CONNECTIONS_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_the_process_keeps_its_share() {
        assert_eq!(carried(1024), 1024 - DESCRIPTORS_RESERVED);
        assert_eq!(carried(20), CONNECTIONS_MIN);
        let soft = getrlimit(Resource::Nofile).current;
        assert!(soft.is_none_or(|soft| make_room(1 << 40) <= carried(soft)));
    }
}
