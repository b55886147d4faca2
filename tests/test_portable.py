"""The package can be imported on any system: what only POSIX has is asked for first."""

import ast
from pathlib import Path

import imprint

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        *("chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg"),
        *("mkfifo", "mknod", "nice", "openpty", "sched_getaffinity", "setsid", "sysconf", "uname", "wait3", "wait4"),
    },
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
