import gzip
import io
import lzma
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from imprint.subjects.opening import load

TEXT = b"".join(f"w{row} {row / 7:.6g} {row / 11:.6g}\n".encode() for row in range(30_000))


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(("kind", "pack"), [("gzip", gzip.compress), ("xz", lzma.compress)])
@pytest.mark.parametrize("keep", [0.01, 0.5, 0.999])
def test_compressed_data_cut_short(refused, kind, pack, keep):
    packed = pack(TEXT)
    assert kind in refused(packed[: int(len(packed) * keep)]).error.message


@pytest.mark.parametrize(
    ("kind", "pack"), [("gzip", gzip.compress), ("xz", lzma.compress), ("zip", lambda t: zipped(("a", t)))]
)
def test_compressed_data_that_is_damaged(refused, kind, pack):
    packed = bytearray(pack(TEXT))
    packed[len(packed) // 2] ^= 0xFF
    assert kind in refused(bytes(packed)).error.message


def test_a_zip_cut_short(refused):
    assert "zip" in refused(zipped(("a", TEXT))[:-200]).error.message


def test_a_zip_of_several_files_names_them(refused):
    error = refused(zipped(*((f"glove.{size}d.txt", b"cat 1 2\n") for size in (50, 100, 200, 300, 400)))).error
    assert "'glove.50d.txt', 'glove.100d.txt', 'glove.200d.txt', 'glove.300d.txt', ..." in str(error)


@pytest.mark.parametrize(
    ("members", "what"),
    [
        (("[Content_Types].xml", "word/document.xml"), "Word"),
        (("word/document.xml",), "docx"),
        (("[Content_Types].xml",), "Office"),
        (("mimetype", "content.xml"), "odt"),
        (("mimetype", "META-INF/container.xml"), "epub"),
    ],
)
def test_a_document_of_an_office_program_is_not_to_be_unpacked(refused, members, what):
    error = refused(zipped(*((name, b"nurse") for name in members))).error
    assert (error.expected, what in error.message, "plain text" in error.hint) == (None, True, True)


@pytest.mark.parametrize("members", [(), (("folder/", b""),)])
def test_a_zip_of_nothing(refused, members):
    assert refused(zipped(*members)).error.expected == "one"


def test_an_empty_file_in_a_zip(refused):
    assert "empty" in refused(zipped(("a", b""))).error.message


def test_a_zip_whose_file_has_no_name(tmp_path):
    path = tmp_path / "nameless.zip"
    path.write_bytes(zipped((zipfile.ZipInfo(""), b"cat 1 2\n")))
    assert load(path).words == ["cat"]


@pytest.mark.parametrize("padding", [4, 1 << 18, 1 << 20])
def test_xz_streams_with_padding_between_them_are_read_to_the_end(tmp_path, padding):
    path = tmp_path / "padded.xz"
    path.write_bytes(lzma.compress(b"cat 1 2\n") + b"\0" * padding + lzma.compress(b"dog 3 4\n"))
    assert load(path).words == ["cat", "dog"]


def test_an_encrypted_zip(refused):
    packed = bytearray(zipped(("a", b"cat 1 2\n"), method=zipfile.ZIP_STORED))
    packed[6] |= 1  # the flag of the member
    packed[packed.index(b"PK\x01\x02") + 8] |= 1  # and of its entry in the directory
    assert "password required" in refused(bytes(packed)).error.message


def test_xz_that_asks_for_gigabytes_is_refused(refused):
    packed = bytearray(lzma.compress(TEXT))
    header = packed[12 : 12 + 4 * (packed[12] + 1)]  # of the block; its last four bytes are a checksum
    header[header.index(b"\x21\x01") + 2] = 40  # the code of the largest dictionary, 4 GB
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    packed[12 : 12 + len(header)] = header
    assert "Memory usage limit exceeded" in refused(bytes(packed)).error.message


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda content: zipped(("a", content))])
def test_a_bomb_is_merely_streamed(tmp_path, pack):
    # 64 MB of one word, hundreds of times the size of the file.
    path = tmp_path / "bomb"
    path.write_bytes(pack((b"same" + b" 1" * 1000 + b"\n") * 32_000))
    assert path.stat().st_size * 100 < 64_000_000
    tracemalloc.start()
    try:
        embedding = load(path, only=["same"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert embedding.words == ["same"]
    assert embedding.notes == ("31,999 rows repeat an earlier word and were dropped: 'same'",)
    assert peak < 100e6


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_cannot_be_unpacked_piece_by_piece_is_refused_before_any_of_it_is(refused, method):
    packed = zipped(("a", (b"same" + b" 1" * 1000 + b"\n") * 8_000), method=method)
    tracemalloc.start()
    try:
        error = refused(packed, only=["same"]).error
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (error.expected, "unpack" in error.hint) == ("8 (deflate) or 0 (none)", True)
    assert peak < 10e6


def test_a_dense_beginning_does_not_make_the_guess_of_the_length_explode(tmp_path):
    # A first megabyte that packs to nothing foretells far more rows than follow.
    path = tmp_path / "dense.gz"
    noise = np.random.default_rng(1).bytes(2_000_000).hex().encode()
    path.write_bytes(gzip.compress((b"aa" + b" 1" * 50 + b"\n") * 100_000 + b"x" + noise + b" 1" * 50 + b"\n"))
    tracemalloc.start()
    try:
        load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 500e6
