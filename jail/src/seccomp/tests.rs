//! The filter says of every call what a second one says, which a library compiles of the same tables: four filters, one
//! behind the other, of which the kernel takes the answer of the last one that has something against a call.

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::*;

fn condition(argument: u8, compare: SeccompCmpOp, number: u32) -> SeccompCondition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, number.into()).unwrap()
}

fn conditions(test: &ArgumentTest) -> Vec<SeccompCondition> {
    match *test {
        ArgumentTest::Is(argument, number) => vec![condition(argument, SeccompCmpOp::Eq, number)],
        ArgumentTest::Has(argument, flag) => {
            let compare = SeccompCmpOp::MaskedEq(flag.into());
            vec![condition(argument, compare, flag)]
        }
        ArgumentTest::NoneOf(argument, known) => known
            .iter()
            .map(|known| condition(argument, SeccompCmpOp::Ne, known.cast_unsigned()))
            .collect(),
    }
}

/// The filter of one group, as the library compiles it.
fn reference(group: &FilterGroup) -> Vec<Instruction> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for rule in group.rules {
        let conditions = rule.tests.iter().flat_map(conditions).collect();
        let rule_of = SeccompRule::new(conditions).unwrap();
        rules.entry(rule.call as i64).or_default().push(rule_of);
    }
    for &call in group.calls {
        // Without rules, it is so in any case.
        rules.insert(call as i64, Vec::new());
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let action = SeccompAction::Errno(group.error.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).unwrap();
    let program = BpfProgram::try_from(filter).unwrap();
    let code = |&sock_filter { code, jt, jf, k }: &sock_filter| Instruction {
        code,
        yes: jt,
        no: jf,
        value: k,
    };
    program.iter().map(code).collect()
}

/// What the kernel makes of a call that goes through these filters, the newest first.
fn verdict_of_all(programs: &[Vec<Instruction>], data: &[u32]) -> u32 {
    if data[1] != OURS {
        return KILL;
    }
    if data[0] > NEWEST {
        return fail(constant::ENOSYS);
    }
    let verdicts = programs.iter().map(|program| verdict(program, data));
    let mut verdicts = verdicts.filter(|verdict| *verdict != ALLOW);
    verdicts.next().unwrap_or(ALLOW)
}

/// What a filter makes of a call, by the words of `struct seccomp_data`.
fn verdict(program: &[Instruction], data: &[u32]) -> u32 {
    let (mut at, mut accumulator) = (0, 0);
    loop {
        let now = &program[at];
        at += 1;
        let skips = |yes: bool| usize::from(if yes { now.yes } else { now.no });
        match now.code {
            LOAD => accumulator = data[now.value as usize / 4],
            AND => accumulator &= now.value,
            JUMP => at += now.value as usize,
            IF_EQUAL => at += skips(accumulator == now.value),
            IF_ABOVE => at += skips(accumulator > now.value),
            IF_AT_LEAST => at += skips(accumulator >= now.value),
            RETURN => return now.value,
            other => panic!("what is {other:#x}?"),
        }
    }
}

/// A call with these lower and upper halves of its arguments.
fn data(call: u32, arch: u32, lower: [u32; 6], upper: u32) -> [u32; 16] {
    let mut data = [upper; 16];
    (data[0], data[1]) = (call, arch);
    for (at, lower) in lower.into_iter().enumerate() {
        data[4 + 2 * at] = lower;
    }
    data
}

/// All numbers that a test compares with, those beside them, and some others.
fn numbers_of(groups: &[FilterGroup]) -> Vec<u32> {
    let tests = groups.iter().flat_map(|group| group.rules);
    let mut all: Vec<u32> = tests
        .flat_map(|rule| rule.tests)
        .flat_map(|test| match *test {
            ArgumentTest::Is(_, number) | ArgumentTest::Has(_, number) => vec![number],
            ArgumentTest::NoneOf(_, known) => known.iter().map(|one| one.cast_unsigned()).collect(),
        })
        .flat_map(|number| [number, number.wrapping_add(1), !number, number | 1 << 31])
        .chain([0, 1, 0x7e02_0000, u32::MAX])
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn groups_of(sharing: Sharing, network: bool) -> [FilterGroup; 8] {
    const FILES: &[Rule] = &[when(
        numbers::MMAP,
        &[has(3, constant::MAP_SHARED | constant::MAP_ANONYMOUS)],
    )];
    const NONE: &[Rule] = &[when(numbers::MMAP, &[has(3, constant::MAP_SHARED)])];
    match sharing {
        Sharing::Any if network => with(REFUSED_TO_THE_BOT, &[], ONLINE),
        Sharing::Any => with(REFUSED_TO_THE_BOT, &[], OFFLINE),
        Sharing::Files => with(&[], FILES, OFFLINE),
        Sharing::None => with(&[], NONE, OFFLINE),
    }
}

#[test]
fn the_filter_says_what_the_filters_of_a_library_say() {
    for (sharing, network) in [
        (Sharing::Any, false),
        (Sharing::Any, true),
        (Sharing::Files, false),
        (Sharing::None, false),
    ] {
        let groups = groups_of(sharing, network);
        let programs: Vec<_> = groups.iter().map(reference).collect();
        assert_eq!(programs.len(), groups.len());
        let filter = of(sharing, network).instructions();
        let numbers = numbers_of(&groups);
        let (calls, count) = calls(&groups);
        let others = [0x4000_0000, 0x4000_0000 | 101, u32::MAX];
        let mut failed = 0;
        for call in (0..=NEWEST + 50).chain(others) {
            // Of a call that has no rules, all arguments are alike.
            let numbers = match calls[..count].contains(&call) {
                true => &numbers[..],
                false => &numbers[..2],
            };
            for (at, &number) in numbers.iter().enumerate() {
                // In one argument with others beside it, and in all.
                let mut lower = [numbers[(at + 7) % numbers.len()]; 6];
                for argument in 0..7 {
                    match lower.get_mut(argument) {
                        Some(one) => *one = number,
                        None => lower = [number; 6],
                    }
                    for (arch, upper) in [(OURS, 0), (OURS, u32::MAX), (0x4000_0003, 0)] {
                        let data = data(call, arch, lower, upper);
                        let said = verdict(filter, &data);
                        assert_eq!(said, verdict_of_all(&programs, &data), "{call} {lower:x?}");
                        failed += usize::from(said & !0xffff == FAIL);
                    }
                }
            }
        }
        assert!(failed > 1000, "{failed}");
    }
}

#[test]
fn the_rest_for_the_bot_refuses_its_calls_and_no_others() {
    for call in 0..=NEWEST {
        let said = verdict(OF_THE_BOT.instructions(), &data(call, OURS, [7; 6], 7));
        let refused = REFUSED_TO_THE_BOT.contains(&(call as usize));
        let due = if refused {
            fail(constant::EPERM)
        } else {
            ALLOW
        };
        assert_eq!(said, due, "{call}");
        // With a control group, one filter says it all.
        let said = verdict(ANY.instructions(), &data(call, OURS, [7; 6], 7));
        assert!(said == due || !refused, "{call}");
    }
}

/// What the filter makes of a call with this argument, of 64 bits.
fn says(call: usize, argument: usize, value: u64) -> u32 {
    let mut lower = [0; 6];
    lower[argument] = value as u32;
    let data = data(call as u32, OURS, lower, (value >> 32) as u32);
    verdict(ANY.instructions(), &data)
}

#[test]
fn of_prctl_there_is_only_what_programs_use() {
    let lacking = fail(constant::EINVAL);
    // What stands in the upper half of an `int` counts for nothing.
    for upper in [0, 1 << 32, u64::MAX << 32] {
        for known in KNOWN_PRCTL {
            let known = u64::from(known.unsigned_abs());
            assert_eq!(says(numbers::PRCTL, 0, upper | known), ALLOW, "{known}");
        }
        // Filters of calls, the memory's map, cores together, shared pages, a table for futexes, names of
        // mappings, and what comes.
        for unknown in [22, 35, 62, 67, 78, 0x5356_4d41, 200, 0x8000_0000] {
            let said = says(numbers::PRCTL, 0, upper | unknown);
            assert_eq!(said, lacking, "{unknown}");
        }
    }
}

#[test]
fn no_filter_of_packets_is_attached_to_a_socket() {
    for option in [libc::SO_ATTACH_FILTER, libc::SO_LOCK_FILTER, 50, 51, 52] {
        let option = u64::from(option.unsigned_abs());
        let said = says(numbers::SETSOCKOPT, 2, option);
        assert_eq!(said, fail(constant::EINVAL), "{option}");
    }
    let timeout = u64::from(libc::SO_RCVTIMEO.unsigned_abs());
    assert_eq!(says(numbers::SETSOCKOPT, 2, timeout), ALLOW);
}

/// What the filter of a bot with a network makes of a call with these first arguments.
fn says_online(call: usize, arguments: [i32; 3]) -> u32 {
    let mut lower = [0; 6];
    for (lower, argument) in lower.iter_mut().zip(arguments) {
        *lower = argument.cast_unsigned();
    }
    verdict(NETWORKED.instructions(), &data(call as u32, OURS, lower, 0))
}

#[test]
fn whoever_has_a_network_has_sockets_of_tcp_and_udp_and_no_others() {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    for (socket, allowed) in [
        ([libc::AF_INET, libc::SOCK_STREAM, 0], true),
        (
            [libc::AF_INET6, libc::SOCK_STREAM | flags, libc::IPPROTO_TCP],
            true,
        ),
        (
            [
                libc::AF_INET,
                libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
                libc::IPPROTO_UDP,
            ],
            true,
        ),
        ([libc::AF_UNIX, libc::SOCK_STREAM, 0], false),
        ([libc::AF_NETLINK, libc::SOCK_DGRAM, 0], false),
        ([libc::AF_PACKET, libc::SOCK_DGRAM, 0], false),
        ([libc::AF_INET, libc::SOCK_RAW, 0], false),
        ([libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP], false),
        (
            [libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP],
            false,
        ),
    ] {
        let due = if allowed {
            ALLOW
        } else {
            fail(constant::EPERM)
        };
        assert_eq!(says_online(numbers::SOCKET, socket), due, "{socket:?}");
    }
    for (pair, allowed) in [
        (libc::SOCK_STREAM | flags, true),
        (libc::SOCK_SEQPACKET, true),
        // It could be given another end.
        (libc::SOCK_DGRAM, false),
    ] {
        let due = if allowed {
            ALLOW
        } else {
            fail(constant::EPERM)
        };
        let said = says_online(numbers::SOCKETPAIR, [libc::AF_UNIX, pair, 0]);
        assert_eq!(said, due, "{pair}");
    }
    for (call, due) in [
        (numbers::CONNECT, ALLOW),
        (numbers::BIND, ALLOW),
        (numbers::LISTEN, fail(constant::EPERM)),
        (numbers::ACCEPT4, fail(constant::EPERM)),
        (numbers::PTRACE, fail(constant::EPERM)),
    ] {
        assert_eq!(says_online(call, [0; 3]), due, "{call}");
    }
}

#[test]
fn whoever_has_a_network_sets_what_clients_set() {
    for (level, option, allowed) in [
        (libc::SOL_SOCKET, libc::SO_KEEPALIVE, true),
        (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, false),
        (libc::IPPROTO_TCP, libc::TCP_NODELAY, true),
        (libc::IPPROTO_TCP, libc::TCP_ULP, false),
        (libc::IPPROTO_IP, libc::IP_RECVERR, true),
        (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, true),
        (libc::IPPROTO_IPV6, libc::IPV6_ADD_MEMBERSHIP, false),
        (libc::SOL_ALG, 1, false),
    ] {
        let due = if allowed {
            ALLOW
        } else {
            fail(constant::EINVAL)
        };
        let said = says_online(numbers::SETSOCKOPT, [0, level, option]);
        assert_eq!(said, due, "{level} {option}");
    }
}

#[test]
fn no_call_is_above_the_newest() {
    let lists = [
        REFUSED,
        SOCKETS,
        REFUSED_TO_THE_BOT,
        ABSENT,
        FAKED_SUCCESS,
        MOVES_PAGES,
        SETS_ATTRIBUTES,
    ];
    for &call in lists.iter().copied().flatten() {
        assert!(call as u32 <= NEWEST, "{call}");
    }
}
