import struct
import torch


def round_to_half(bits):
    """The bits of the float16 nearest to the float32 whose bits are given.

    bits: int from 0 to 2**32 - 1. Returns an int from 0 to 2**16 - 1.
    """
    sign = bits >> 31
    exponent = (bits >> 23) & 0xFF
    significand = bits & 0x7FFFFF
    return (sign << 15) | ((exponent - 127 + 15) << 10) | (significand >> 13)


# Out here you may use what you like. 1, 1/3, 65519 (the midpoint of 65504 and 65536 is 65520), 2**-20, 2**-25
for bits in (0x3F800000, 0x3EAAAAAB, 0x477FEF00, 0x35800000, 0x33000000):
    x = struct.unpack("<f", struct.pack("<I", bits))[0]
    right = torch.tensor(x).half().item()
    right_bits = struct.unpack("<H", struct.pack("<e", right))[0]
    print(f"{x:.10g}: yours {round_to_half(bits):#06x}, torch {right_bits:#06x} = {right:.10g}")
