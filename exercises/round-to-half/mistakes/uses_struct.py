import struct


def round_to_half(bits):
    x = struct.unpack("<f", struct.pack("<I", bits))[0]
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return (bits >> 16) & 0x8000 | 0x7C00
