#!/usr/bin/env python3
"""A witness for the statistics over blocks: Elo differences and sequential tests.

It was written from the published formulas, to check another program, and it is slow and plain on purpose.

    python3 statistics.py > statistics.txt

A data set is a list of counts: how many blocks had each possible mean score, from 0 to 1 in equal steps.
Three counts are single games (lost, drawn, won), five are pairs of games, nine are blocks of four games,
thirteen are blocks of six.

Each line: counts; elo0 elo1; Elo, its error, normalised Elo, its error, likelihood of superiority (all with
counts as they are); the log-likelihood ratio of elo1 against elo0 in logistic Elo, and in normalised Elo
(both with 0.001 in the place of a count of 0). "-" is a value that is not a finite number.

Formulas:
  Elo             -400 log10(1 / score - 1); the error is half the distance between the Elo of the ends of
                  score +- 1.96 sqrt(variance / blocks)
  normalised Elo  M. Van den Bergh, "Normalized Elo": (score - 1/2) / (standard deviation of a game) times
                  800 / ln 10, the deviation of a game being sqrt(games in a block * variance of a block)
  log-likelihood  M. Van den Bergh, "Comments on Normalized Elo" (sections 1 and 4): log of the likelihood of
  ratio           the most likely distribution that has the one Elo, less that for the other. Here the most
                  likely distribution is found by its definition: over the multipliers of the constraints by
                  Newton's method, and for normalised Elo over all standard deviations by a search, not by the
                  fixed point that the paper proposes.
"""

import math

INSTEAD_OF_ZERO = 1e-3
NORMALISED = 800 / math.log(10)
# The 97.5 % point of the normal distribution.
WIDTH = 1.959963984540054


def moments(counts):
    blocks = sum(counts)
    values = [i / (len(counts) - 1) for i in range(len(counts))]
    mean = sum(n * a for n, a in zip(counts, values)) / blocks
    variance = sum(n * (a - mean) ** 2 for n, a in zip(counts, values)) / blocks
    return blocks, mean, variance


def elo(score):
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def score_of(elo_):
    return 1 / (1 + 10 ** (-elo_ / 400))


def estimates(counts):
    if sum(counts) == 0:
        return [math.nan] * 5
    blocks, mean, variance = moments(counts)
    games = (len(counts) - 1) / 2
    off = WIDTH * math.sqrt(variance / blocks)
    high, low = elo(mean + off), elo(mean - off)
    error = (high - low) / 2 if high != low else 0.0 if math.isfinite(high) else math.nan
    if variance == 0:
        return [elo(mean), error, math.nan, math.nan, math.nan]
    deviation = math.sqrt(games * variance)
    normalised = NORMALISED * (mean - 0.5) / deviation
    normalised_error = NORMALISED * off / deviation
    superiority = (1 + math.erf((mean - 0.5) / math.sqrt(2 * variance / blocks))) / 2
    return [elo(mean), error, normalised, normalised_error, superiority]


def most_likely(frequencies, constraints):
    """Most likely p with sum(p) = 1 and sum(p * g) = 0 for each constraint g, for the seen frequencies:
    p = f / (1 + sum(x * g)), where x maximises the concave sum(f * log(1 + sum(x * g))). None if there is none."""
    n, m = len(frequencies), len(constraints)
    x = [0.0] * m

    def terms(x):
        return [1 + sum(x[k] * constraints[k][i] for k in range(m)) for i in range(n)]

    def value(x):
        t = terms(x)
        if min(t) <= 0:
            return -math.inf
        return sum(f * math.log(ti) for f, ti in zip(frequencies, t))

    best = value(x)
    for _ in range(5000):
        t = terms(x)
        gradient = [sum(f * g[i] / t[i] for i, f in enumerate(frequencies)) for g in constraints]
        hessian = [
            [-sum(f * g[i] * h[i] / t[i] ** 2 for i, f in enumerate(frequencies)) for h in constraints]
            for g in constraints
        ]
        if m == 1:
            step = [-gradient[0] / hessian[0][0]]
        else:
            determinant = hessian[0][0] * hessian[1][1] - hessian[0][1] * hessian[1][0]
            if determinant == 0:
                return None
            step = [
                -(hessian[1][1] * gradient[0] - hessian[0][1] * gradient[1]) / determinant,
                -(hessian[0][0] * gradient[1] - hessian[1][0] * gradient[0]) / determinant,
            ]
        size, moved = 1.0, False
        while size > 1e-14:
            tried = [a + size * b for a, b in zip(x, step)]
            if (new := value(tried)) > best:
                x, moved, best = tried, True, new
                break
            size /= 2
        if not moved:
            break
    p = [f / ti for f, ti in zip(frequencies, terms(x))]
    # No distribution has these moments: the multipliers run away.
    if abs(sum(p) - 1) > 1e-6 or any(abs(sum(a * b for a, b in zip(p, g))) > 1e-6 for g in constraints):
        return None
    return p


def likelihood(frequencies, p):
    return sum(f * math.log(a) for f, a in zip(frequencies, p))


def with_expectation(frequencies, values, score):
    p = most_likely(frequencies, [[a - score for a in values]])
    return likelihood(frequencies, p)


def with_t_value(frequencies, values, t):
    """The best over all standard deviations, the mean being 1/2 + t * deviation. With t = 0 the deviation is
    free. None is larger than that of a distribution on 0 and 1 alone; the grid is fine near both ends."""
    if t == 0:
        return with_expectation(frequencies, values, 0.5)
    largest = 0.5 / math.sqrt(1 + t * t)

    def at(part):
        deviation = part * largest
        mean = 0.5 + t * deviation
        p = most_likely(
            frequencies,
            [[a - mean for a in values], [(a - mean) ** 2 - deviation**2 for a in values]],
        )
        return -math.inf if p is None else likelihood(frequencies, p)

    small = [10 ** (-k / 8) for k in range(8, 64)]
    grid = sorted(small + [1 - part for part in small] + [i / 400 for i in range(40, 361)])
    heights = [at(part) for part in grid]
    top = max(range(len(grid)), key=heights.__getitem__)
    low, high = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
    golden = (math.sqrt(5) - 1) / 2
    best = heights[top]
    for _ in range(60):
        one, other = high - golden * (high - low), low + golden * (high - low)
        at_one, at_other = at(one), at(other)
        best = max(best, at_one, at_other)
        if at_one > at_other:
            high = other
        else:
            low = one
    return best


def ratios(counts, elo0, elo1):
    if sum(counts) == 0:
        return [0.0, 0.0]
    counts = [n or INSTEAD_OF_ZERO for n in counts]
    blocks = sum(counts)
    values = [i / (len(counts) - 1) for i in range(len(counts))]
    frequencies = [n / blocks for n in counts]
    games = (len(counts) - 1) / 2
    logistic = [with_expectation(frequencies, values, score_of(e)) for e in (elo0, elo1)]
    normalised = [
        with_t_value(frequencies, values, e / NORMALISED * math.sqrt(games)) for e in (elo0, elo1)
    ]
    return [blocks * (two[1] - two[0]) for two in (logistic, normalised)]


# Counts from the worst score to the best, elo0, elo1.
DATA = [
    # Pairs of games: extremes first.
    ([0, 0, 0, 0, 0], 0, 5),
    ([1, 0, 0, 0, 0], 0, 5),
    ([0, 1, 0, 0, 0], 0, 5),
    ([0, 0, 1, 0, 0], 0, 5),
    ([0, 0, 0, 1, 0], 0, 5),
    ([0, 0, 0, 0, 1], 0, 5),
    ([0, 0, 0, 0, 104], 0, 5),
    ([104, 0, 0, 0, 0], 0, 5),
    ([0, 0, 104, 0, 0], 0, 5),
    ([0, 0, 104, 0, 0], -2.5, 2.5),
    ([0, 0, 0, 0, 20], -10, 10),
    ([1, 0, 0, 0, 1], 0, 10),
    ([50, 0, 0, 0, 50], 0, 10),
    ([0, 50, 0, 50, 0], 0, 10),
    ([0, 0, 7, 1, 0], 0, 20),
    ([0, 3, 0, 0, 5], 0, 50),
    ([2, 0, 1, 0, 37], 0, 20),
    # Ordinary ones.
    ([3, 9, 20, 12, 6], 0, 20),
    ([34, 54, 63, 64, 75], 0, 5),
    ([332, 433, 498, 333, 334], 0, 5),
    ([7895, 8757, 5685, 568, 9999], -5, 0),
    ([365, 16618, 36229, 16974, 390], 0, 2),
    ([127, 4883, 10712, 5150, 104], -1.75, 0.25),
    ([223, 9863, 21279, 10037, 246], 0.5, 2.5),
    ([871, 26175, 55983, 26678, 821], 0, 2),
    ([10789, 19328, 33806, 19402, 10543], -3, 1),
    ([1187, 7410, 13475, 7378, 1164], -3, 1),
    ([39, 2226, 31451, 2412, 40], 0.2, 0.9),
    ([39, 2226, 31451, 2412, 40], 0.764, 3.439),
    ([1, 20, 300, 900, 779], 0, 2),
    # Single games.
    ([0, 0, 1], 0, 10),
    ([0, 16700, 0], 0, 5),
    ([0, 0, 50], 0, 5),
    ([36027, 68692, 36433], 0, 2),
    ([10650, 20431, 10871], -1.75, 0.25),
    ([21184, 40708, 21404], 0.5, 2.5),
    ([57030, 106593, 57433], 0, 2),
    ([89, 123, 76], -10, 10),
    ([96, 111, 136], 0, 20),
    ([356, 0, 34], -20, 0),
    # Blocks of four games, and of six.
    ([0, 1, 4, 9, 16, 12, 6, 3, 1], 0, 20),
    ([0, 0, 0, 0, 0, 0, 0, 0, 12], 0, 20),
    ([1, 2, 4, 7, 12, 18, 25, 19, 14, 9, 5, 2, 1], 0, 10),
    ([0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0], -5, 5),
]


def written(value):
    return f"{value:.9g}" if math.isfinite(value) else "-"


def main():
    for counts, elo0, elo1 in DATA:
        figures = " ".join(map(written, estimates(counts)))
        both = " ".join(map(written, ratios(counts, elo0, elo1)))
        print(f"{' '.join(map(str, counts))}; {elo0} {elo1}; {figures}; {both}", flush=True)


main()
