//! Measuring several things in turns.

use flipside_operations::Result;

/// One thing that is measured: each call gives a value.
pub(crate) type TurnSide<'a> = &'a mut dyn FnMut() -> Result<f64>;

/// The values of each side. All sides are measured once before any is measured again, in an order that is reversed from
/// repeat to repeat: whatever grows meanwhile, such as the heat of the machine, is the same for all. The first repeat
/// warms up, and does not count.
pub(crate) fn in_turns(
    repeats: u32,
    sides: &mut [TurnSide<'_>],
    mut step: impl FnMut() -> Result<()>,
) -> Result<Vec<Vec<f64>>> {
    let mut values = vec![Vec::new(); sides.len()];
    for repeat in 0..=repeats {
        for at in 0..sides.len() {
            let side = match repeat % 2 {
                0 => at,
                _ => sides.len() - 1 - at,
            };
            let value = sides[side]()?;
            if repeat > 0 {
                values[side].push(value);
            }
            step()?;
        }
    }
    Ok(values)
}

/// How many steps that takes.
pub(crate) fn steps(repeats: u32, sides: usize) -> u64 {
    (u64::from(repeats) + 1) * sides as u64
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn every_side_is_measured_once_in_each_repeat_and_the_first_does_not_count() {
        for repeats in 1..5 {
            let order = RefCell::new(Vec::new());
            let side = |name: char| {
                let order = &order;
                move || {
                    order.borrow_mut().push(name);
                    Ok(order.borrow().len() as f64)
                }
            };
            let (mut a, mut b, mut c) = (side('a'), side('b'), side('c'));
            let mut done = 0;
            let step = || {
                done += 1;
                Ok(())
            };
            let values = in_turns(repeats, &mut [&mut a, &mut b, &mut c], step).unwrap();
            assert_eq!(done, steps(repeats, 3));
            for (name, values) in ['a', 'b', 'c'].iter().zip(&values) {
                assert_eq!(values.len(), repeats as usize);
                assert!(values.iter().all(|&at| at > 3.0), "the first do not count");
                assert!(
                    values
                        .iter()
                        .all(|&at| order.borrow()[at as usize - 1] == *name)
                );
            }
            for (repeat, turn) in order.borrow().chunks(3).enumerate() {
                let expected = if repeat % 2 == 0 { "abc" } else { "cba" };
                assert_eq!(turn.iter().collect::<String>(), expected);
            }
        }
    }
}
