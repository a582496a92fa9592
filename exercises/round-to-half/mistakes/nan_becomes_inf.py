def round_to_half(bits):
    sign = (bits >> 16) & 0x8000
    exponent = (bits >> 23) & 0xFF
    fraction = bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign | 0x7C00
    if exponent < 102:
        return sign
    significand = fraction | 0x800000
    dropped = 13 if exponent >= 113 else 126 - exponent
    kept = significand >> dropped
    rest = significand & ((1 << dropped) - 1)
    middle = 1 << (dropped - 1)
    if rest > middle or (rest == middle and kept & 1):
        kept += 1
    base = (exponent - 113) << 10 if exponent >= 113 else 0
    return sign | min(base + kept, 0x7C00)
