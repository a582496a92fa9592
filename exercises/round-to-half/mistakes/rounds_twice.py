def round_to_half(bits):
    sign = (bits >> 16) & 0x8000
    exponent = (bits >> 23) & 0xFF
    fraction = bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign | (0x7E00 if fraction else 0x7C00)
    if exponent < 102:
        return sign
    kept = nearest(fraction | 0x800000, 13)
    if exponent < 113:
        return sign | nearest(kept, 113 - exponent)
    return sign | min(((exponent - 113) << 10) + kept, 0x7C00)


def nearest(significand, dropped):
    kept = significand >> dropped
    rest = significand & ((1 << dropped) - 1)
    middle = 1 << (dropped - 1)
    return kept + 1 if rest > middle or (rest == middle and kept & 1) else kept
