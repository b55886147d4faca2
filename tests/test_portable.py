"""The package can be imported on any system: what only POSIX has is asked for first."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import imprint

ROOT = Path(__file__).parents[1]

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        *("chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg"),
        *("mkfifo", "mknod", "nice", "openpty", "sched_getaffinity", "setsid", "sysconf", "uname", "wait3", "wait4"),
        *(
            "O_CLOEXEC",
            "O_DIRECTORY",
            "O_NOFOLLOW",
            "O_NONBLOCK",
            "fdatasync",
            "lchown",
            "posix_fadvise",
            "posix_spawn",
        ),
        *("pread", "preadv", "pwrite", "readv", "sendfile", "statvfs", "sync", "writev"),
    },
    "mmap": {"MAP_PRIVATE", "MAP_SHARED", "PROT_READ", "PROT_WRITE"},
    "select": {"epoll", "kqueue", "poll"},
    "socket": {"AF_UNIX", "SO_REUSEPORT", "socketpair"},
    "time": {"clock_gettime", "tzset"},
    "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGPROF", "SIGUSR1", "SIGUSR2", "alarm", "setitimer"},
}
GUARDED = {("programs.py", "killpg"), ("programs.py", "SIGKILL")}  # in a block that begins with hasattr


def test_nothing_asks_for_what_only_posix_has():
    found = set()
    for path in sorted(Path(imprint.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    found |= {(path.name, one.name) for one in names if one.name in MODULES}
                case ast.ImportFrom(module=module) if module in MODULES:
                    found.add((path.name, module))
                case ast.Attribute(value=ast.Name(id=module), attr=name) if name in NAMES.get(module, ()):
                    found.add((path.name, name))
    assert found == GUARDED


def test_files_of_text_are_utf_8_on_every_system():
    found = [
        f"{path.name}: {ast.unparse(node)}"
        for path in sorted(Path(imprint.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and opens_text(node) and not says_encoding(node)
    ]
    assert found == []


def opens_text(call):
    match call.func:
        case ast.Attribute(attr="read_text" | "write_text"):
            return True
        case ast.Attribute(attr="open", value=ast.Name(id="os" | "webbrowser")):
            return False
        case ast.Attribute(attr="open"):
            mode = call.args[0] if call.args else None
        case ast.Name(id="open"):
            mode = call.args[1] if len(call.args) > 1 else None
        case _:
            return False
    mode = next((argument.value for argument in call.keywords if argument.arg == "mode"), mode)
    return mode is None or (isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "b" not in mode.value)


def says_encoding(call):
    by_place = {"read_text": 0, "write_text": 1}.get(getattr(call.func, "attr", ""), 9)
    return len(call.args) > by_place or "encoding" in {argument.arg for argument in call.keywords}


REFUSED = re.compile(r'[<>:"\\|?*\x00-\x1f]|[ .](/|$)|(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)', re.IGNORECASE)


def test_every_system_can_check_out_the_repository():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name]
    assert len(names) > 500
    assert [name for name in names if REFUSED.search(name) or len(name) > 150] == []
    assert [name for name, count in Counter(name.lower() for name in names).items() if count > 1] == []


def test_the_page_on_installing_counts_the_kernels():
    kernels = re.findall(r"^ *@compiled\(", "".join(sources()), re.MULTILINE)
    stated = re.search(r"(\d+) functions are compiled", (ROOT / "docs/install.md").read_text(encoding="utf-8"))
    assert int(stated[1]) == len(kernels)


def sources():
    return [path.read_text(encoding="utf-8") for path in Path(imprint.__file__).parent.rglob("*.py")]
