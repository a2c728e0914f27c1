# SPDX-License-Identifier: Apache-2.0
"""The container of .zkey, .wtns and .r1cs files: magic, version, number of sections, and then each section's id, size and bytes."""
import struct

# Sections of a key.
PROTOCOL, HEADER, IC, COEFFICIENTS, A, B1, B2, C, H, CONTRIBUTIONS = range(1, 11)


def sections(data):
    """{id: (offset of its first byte, size)}"""
    place, found = 12, {}
    for _ in range(struct.unpack_from("<I", data, 8)[0]):
        number, size = struct.unpack_from("<IQ", data, place)
        found[number] = (place + 12, size)
        place += 12 + size
    return found


def table_bytes(data):
    """Offsets of every byte that belongs to no section: magic, version, count, ids and sizes."""
    inside = set()
    for begin, size in sections(data).values():
        inside.update(range(begin, begin + size))
    return [at for at in range(len(data)) if at not in inside]


def witness_values(data):
    begin, size = sections(data)[2]
    return [int.from_bytes(data[at:at + 32], "little") for at in range(begin, begin + size, 32)]


def key_primes(data):
    """(q of coordinates, r of scalars) of a key."""
    begin, primes = sections(data)[HEADER][0], []
    for _ in range(2):
        size = struct.unpack_from("<I", data, begin)[0]
        primes.append(int.from_bytes(data[begin + 4:begin + 4 + size], "little"))
        begin += 4 + size
    return primes


def infinities(data, section):
    """How many points of a section of a key are zeros alone."""
    place = sections(data)
    coordinate = struct.unpack_from("<I", data, place[HEADER][0])[0]
    size = coordinate * (4 if section == B2 else 2)
    begin, length = place[section]
    return sum(not any(data[at:at + size]) for at in range(begin, begin + length, size))
