//! Square boards of up to 5×5 squares as bits. A rank takes six bits, and the sixth stays empty, so
//! that no shift carries a piece around the edge.

/// A set of squares.
pub(super) type Bits = u32;

/// The bits of a rank.
const STRIDE: u8 = 6;

/// The steps from a square to its eight neighbours. Even indices are straight, odd ones diagonal.
pub(super) const STEPS: [i8; 8] = [1, 7, 6, 5, -1, -7, -6, -5];

/// The steps along which lines are counted: one of each pair of opposites.
const LINE_STEPS: [u32; 4] = [1, 5, 6, 7];

/// The number of bits of the largest board.
pub(super) const BITS: usize = 30;

/// Returns the set of one square, by file and rank from 0.
pub(super) const fn bit(file: u8, rank: u8) -> Bits {
    1 << (rank * STRIDE + file)
}

/// Returns all squares of a board.
pub(super) const fn board(side: u8) -> Bits {
    let mut squares = 0;
    let mut at = 0;
    while at < side * side {
        squares |= bit(at % side, at / side);
        at += 1;
    }
    squares
}

/// Returns the squares of a letter in a drawing of the board, from the top rank down.
pub(super) const fn drawn(rows: [&str; 5], letter: u8) -> Bits {
    let mut squares = 0;
    let mut at = 0;
    while at < 25 {
        let (file, rank) = (at % 5, at / 5);
        if rows[4 - rank as usize].as_bytes()[file as usize] == letter {
            squares |= bit(file, rank);
        }
        at += 1;
    }
    squares
}

/// Moves all squares of a set by one step.
pub(super) const fn toward(squares: Bits, step: i8) -> Bits {
    if step > 0 {
        squares << step
    } else {
        squares >> -step
    }
}

/// Returns the neighbours of all squares of a set, also beyond the edge.
pub(super) const fn around(squares: Bits) -> Bits {
    let row = squares | squares << 1 | squares >> 1;
    row | row << STRIDE | row >> STRIDE
}

/// By step and square, all squares of the largest board that lie in that direction.
pub(super) const RAYS: [[Bits; BITS]; 8] = {
    let mut rays = [[0; BITS]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut from = 0;
        while from < BITS {
            let mut at = toward(1 << from, STEPS[direction]) & board(5);
            while at != 0 {
                rays[direction][from] |= at;
                at = toward(at, STEPS[direction]) & board(5);
            }
            from += 1;
        }
        direction += 1;
    }
    rays
};

/// Returns the squares as numbers, the lowest first.
pub(super) fn each(mut squares: Bits) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lowest = squares.trailing_zeros() as u8;
        (squares != 0).then(|| {
            squares &= squares - 1;
            lowest
        })
    })
}

/// Returns whether a set has four squares in a line, one of which is among `new`.
pub(super) fn has_four(own: Bits, new: Bits) -> bool {
    LINE_STEPS.iter().any(|step| {
        let twos = own & own >> step;
        let fours = twos & twos >> (2 * step);
        let new = new | new >> step;
        fours & (new | new >> (2 * step)) != 0
    })
}

/// Returns whether a set has five squares in a line.
pub(super) fn has_five(own: Bits) -> bool {
    LINE_STEPS.iter().any(|step| {
        let twos = own & own >> step;
        twos & twos >> (2 * step) & own >> (4 * step) != 0
    })
}

/// Calls a function with each empty square that lacks to four in a line, and with the three others,
/// until it returns true. Returns whether it did.
pub(super) fn any_gap(own: Bits, empty: Bits, mut test: impl FnMut(u8, Bits) -> bool) -> bool {
    LINE_STEPS.iter().any(|&step| {
        let [one, two, three] = [1, 2, 3].map(|far| own >> (step * far));
        let free = [1, 2, 3].map(|far| empty >> (step * far));
        let (first, last) = (own & one, two & three);
        let missing = [
            empty & one & last,
            own & free[0] & last,
            first & free[1] & three,
            first & two & free[2],
        ];
        let line = 1 | 1 << step | 1 << (2 * step) | 1 << (3 * step);
        (0..).zip(missing).any(|(far, missing)| {
            each(missing).any(|start| {
                let gap = start + far * step as u8;
                test(gap, (line << start) & !(1 << gap))
            })
        })
    })
}

/// How four or five squares in a line are brought together to a number of as many bits.
#[derive(Clone, Copy)]
struct Gather {
    squares: Bits,
    start: u8,
    factor: u32,
    shift: u8,
    /// The bit of the fifth square if the line has only four.
    missing: u32,
}

/// The lines of a 5×5 board that hold four or five squares: ranks, files and diagonals.
const LINES: [Gather; 16] = {
    const fn line(file: u8, rank: u8, step: u8, long: u8) -> Gather {
        let mut squares = 0;
        let mut factor = 0_u32;
        let mut far = 0;
        while far < 5 {
            if far < long {
                squares |= bit(file, rank) << (step * far);
            }
            // The bit at `step * far` goes to `4 * (step - 1) + far`; no two products meet.
            factor |= 1 << ((step - 1) * (4 - far));
            far += 1;
        }
        Gather {
            squares,
            start: rank * STRIDE + file,
            factor,
            shift: 4 * (step - 1),
            missing: if long < 5 { 1 << 4 } else { 0 },
        }
    }
    let mut lines = [line(0, 0, 7, 5); 16];
    let mut at = 0;
    while at < 5 {
        lines[at as usize] = line(at, 0, 6, 5);
        lines[5 + at as usize] = line(0, at, 1, 5);
        at += 1;
    }
    lines[10] = line(0, 0, 7, 5);
    lines[11] = line(1, 0, 7, 4);
    lines[12] = line(0, 1, 7, 4);
    lines[13] = line(4, 0, 5, 5);
    lines[14] = line(3, 0, 5, 4);
    lines[15] = line(4, 1, 5, 4);
    lines
};

/// What a line of five squares is worth, by the pieces of both sides in it.
pub(super) type Worths = [i16; 1 << 10];

/// Computes what lines are worth from what four squares in a line are worth, by the number of pieces
/// if all of them are one's own.
pub(super) const fn worths(by_count: [i16; 5]) -> Worths {
    let mut worths = [0; 1 << 10];
    let mut at = 0_usize;
    while at < 1 << 10 {
        let mut start = 0;
        while start < 2 {
            let (own, enemy) = ((at >> start) & 15, (at >> (5 + start)) & 15);
            let (own_count, enemy_count) = (own.count_ones(), enemy.count_ones());
            if enemy == 0 {
                worths[at] += by_count[own_count as usize];
            } else if own == 0 {
                worths[at] -= by_count[enemy_count as usize];
            }
            start += 1;
        }
        at += 1;
    }
    // A line of four has a fifth square that both sides hold.
    worths
}

/// Adds up what all lines of a 5×5 board are worth to the owner of `own`.
pub(super) fn lines_worth(worths: &Worths, own: Bits, enemy: Bits) -> i32 {
    let mut total = 0;
    for line in &LINES {
        let gather = |pieces: Bits| {
            let pieces = (pieces & line.squares) >> line.start;
            (pieces.wrapping_mul(line.factor) >> line.shift & 31) | line.missing
        };
        total += i32::from(worths[(gather(own) | gather(enemy) << 5) as usize]);
    }
    total
}

/// Appends the name of a square.
pub(super) fn write(square: u8, out: &mut String) {
    out.push((b'a' + square % STRIDE) as char);
    out.push((b'1' + square / STRIDE) as char);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_worth_what_its_windows_are() {
        const WORTH: [i16; 5] = [0, 1, 10, 100, 1000];
        let worths = worths(WORTH);
        let mut random = 0x1234_5678_9abc_def1_u64;
        for _ in 0..2000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let own = (random >> 20) as u32 & board(5);
            let enemy = (random >> 33) as u32 & board(5) & !own;
            let mut plain = 0;
            for from in each(board(5)) {
                for step in [1, 5, 6, 7] {
                    let window = (0..4).fold(0_u64, |all, far| all | 1 << (from + step * far));
                    if window & !u64::from(board(5)) != 0 {
                        continue;
                    }
                    let window = window as u32;
                    let counts = [own, enemy].map(|of| (of & window).count_ones() as usize);
                    match counts {
                        [own, 0] => plain += i32::from(WORTH[own]),
                        [0, enemy] => plain -= i32::from(WORTH[enemy]),
                        _ => {}
                    }
                }
            }
            assert_eq!(lines_worth(&worths, own, enemy), plain, "{own:x} {enemy:x}");
        }
    }
}
