//! Conjugate gradients (Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952).

/// Solves A x = `right`, where A is symmetric and positive definite and `times` multiplies it by a vector. It ends when
/// the squared residual is at most `part` of the first one, after twice as many steps as there are unknowns at most.
pub fn conjugate_gradients(
    right: Vec<f64>,
    part: f64,
    times: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let dot =
        |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(x, y)| x * y).sum() };
    let mut solution = vec![0.0; right.len()];
    let mut residual = right;
    let mut direction = residual.clone();
    let mut size = dot(&residual, &residual);
    let enough = size * part;
    for _ in 0..2 * solution.len() {
        if size <= enough {
            break;
        }
        let ahead = times(&direction);
        let step = size / dot(&direction, &ahead);
        for (at, ahead) in ahead.iter().enumerate() {
            solution[at] += step * direction[at];
            residual[at] -= step * ahead;
        }
        let before = std::mem::replace(&mut size, dot(&residual, &residual));
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + size / before * *direction;
        }
    }
    solution
}
