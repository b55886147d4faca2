"""Write the SHA-256 of every data file that comes with imprint, and of the packaged encoder's weights."""

from pathlib import Path

from imprint.encoders.universal import weight_files
from imprint.files import CHECKSUMS, PACKAGE, hash_file, replacing

ENDINGS = {".csv", ".gz", ".jsonl", ".safetensors", ".tsv"}


def data_files() -> list[Path]:
    """Return the data files that scripts build."""
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in ENDINGS and path.is_file())


def main() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): hash_file(path) for path in data_files()}
    found |= {name: hash_file(path) for name, path in weight_files().items()}
    with replacing(CHECKSUMS) as part:
        part.write_text("".join(f"{digest}  {name}\n" for name, digest in found.items()), encoding="utf-8")
    print(f"{CHECKSUMS.name}: {len(found)} files")


if __name__ == "__main__":
    main()
