def round_to_half(bits):
    """The bits of the float16 nearest to the float32 whose bits are given.

    bits: int from 0 to 2**32 - 1. Returns an int from 0 to 2**16 - 1.
    """
    sign = (bits >> 16) & 0x8000
    exponent = (bits >> 23) & 0xFF
    fraction = bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign | (0x7E00 if fraction else 0x7C00)
    if exponent < 102:  # below 2**-25, half of the smallest subnormal
        return sign
    significand = fraction | 0x800000
    # Normal results keep 11 of 24 bits. Below 2**-14 (exponent 113) the last kept bit weighs 2**-24 whatever the exponent.
    dropped = 13 if exponent >= 113 else 126 - exponent
    kept = significand >> dropped
    rest = significand & ((1 << dropped) - 1)
    middle = 1 << (dropped - 1)
    if rest > middle or (rest == middle and kept & 1):
        kept += 1
    # kept holds the implicit 1, which adds one to the exponent field; a carry out of the significand adds another.
    base = (exponent - 113) << 10 if exponent >= 113 else 0
    return sign | min(base + kept, 0x7C00)


# 1, 1/3, 65519 (just below the midpoint of 65504 and 65536), 2**-25
for bits in (0x3F800000, 0x3EAAAAAB, 0x477FEF00, 0x33000000):
    print(f"{bits:#010x} -> {round_to_half(bits):#06x}")
