"""The cosine, correctly rounded.

C libraries round cos differently in the last place, and a cosine schedule multiplies ratios of cosines, so that the difference grows.
PyTorch's usual C library (glibc) is correctly rounded nearly always; WebAssembly's is not.
"""

_BITS = 200  # of the fixed-point fractions below: twice a double's 53, and room for reduction by multiples of pi
_ONE = 1 << _BITS


def _arctan_of_inverse(n):
    """atan(1 / n) = 1/n - 1/(3 n^3) + 1/(5 n^5) - …, in fixed point."""
    power = total = _ONE // n
    k = 1
    while power:
        power //= -n * n
        k += 2
        total += power // k
    return total


# Machin 1706: pi = 16 atan(1/5) - 4 atan(1/239)
_PI = 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)


def cos(x):
    """cos of a double, rounded to the nearest double."""
    numerator, denominator = float(x).as_integer_ratio()
    angle = ((numerator << _BITS) // denominator) % (2 * _PI)
    square = (angle * angle) >> _BITS
    term = total = _ONE
    k = 0
    while term:
        # Taylor: each term is the one before times -x^2 / ((k + 1) (k + 2))
        term = -((term * square) >> _BITS) // ((k + 1) * (k + 2))
        k += 2
        total += term
        if term == -1:  # floor division never reaches 0 from below
            break
    return total / _ONE
