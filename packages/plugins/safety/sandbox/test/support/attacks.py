"""Tries to leave a sandbox. Prints one line of JSON per attempt: its name and what came of it."""
import ctypes, errno, fcntl, json, os, pty, socket, subprocess, sys

facts = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, action):
    try:
        result = action()
    except OSError as fault:
        result = errno.errorcode.get(fault.errno, str(fault))
    print(json.dumps([name, result]), flush=True)


def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"


def connect(family, kind, address):
    with socket.socket(family, kind) as sock:
        sock.settimeout(2)
        try:
            sock.connect(address)
            if kind == socket.SOCK_DGRAM:
                sock.send(b"x")
        except TimeoutError:
            return "timeout"
        return "connected"


def read(path):
    with open(path) as file:
        return file.read()


def write(path):
    with open(path, "w") as file:
        file.write("OWNED")
    return "written"


def open_for_writing(path):
    """Nothing is written: where this works the machine itself would be changed."""
    os.close(os.open(path, os.O_WRONLY))
    return "opened"


def link_then_write(source, target):
    os.link(source, target)
    return write(target)


def link_then_read(source, target):
    os.link(source, target)
    return read(target)


def symlink_then(action, source, target):
    os.symlink(source, target)
    return action(target)


def type_into_terminal():
    main, side = pty.openpty()
    fcntl.ioctl(side, 0x5412, b"x")
    return "typed"


def clone_namespace():
    return subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True).returncode


machine = os.uname().machine
numbers = {
    "x86_64": {"mount": 165, "umount2": 166, "unshare": 272, "setns": 308, "chroot": 161, "keyctl": 250, "bpf": 321,
               "process_vm_readv": 310, "io_uring_setup": 425, "ptrace": 101, "pivot_root": 155, "open_tree": 428},
    "aarch64": {"mount": 40, "umount2": 39, "unshare": 97, "setns": 268, "chroot": 51, "keyctl": 219, "bpf": 280,
                "process_vm_readv": 270, "io_uring_setup": 425, "ptrace": 117, "pivot_root": 41, "open_tree": 428},
}[machine]
host = facts["hostPid"]
home, outside, workspace = facts["home"], facts["outside"], facts["workspace"]
victim, key = outside + "/victim", home + "/.ssh/id_ed25519"
text = lambda value: ctypes.c_char_p(value.encode())

attempt("write outside", lambda: write(victim))
attempt("create outside", lambda: write(outside + "/new"))
attempt("remove outside", lambda: os.remove(victim))
attempt("rename outside", lambda: os.rename(victim, workspace + "/stolen"))
attempt("write outside through a link", lambda: symlink_then(write, victim, workspace + "/link"))
attempt("write outside through a hard link", lambda: link_then_write(victim, workspace + "/hard"))
attempt("change permissions outside", lambda: os.chmod(victim, 0o777))
attempt("write home", lambda: write(home + "/.bashrc"))
attempt("read key", lambda: read(key))
attempt("read key through a link", lambda: symlink_then(read, key, workspace + "/link2"))
attempt("read key through a hard link", lambda: link_then_read(key, workspace + "/hard2"))
attempt("read key through /proc/self/root", lambda: read("/proc/self/root" + key))
attempt("read key through /proc/1/root", lambda: read("/proc/1/root" + key))
attempt("read key through the host's root", lambda: read(f"/proc/{host}/root" + key))
attempt("read key through the host's cwd", lambda: read(f"/proc/{host}/cwd/../../.." + key))
attempt("read token", lambda: read(home + "/.config/gh/hosts.yml"))
attempt("read the host's environment", lambda: read(f"/proc/{host}/environ"))
attempt("read the host's memory", lambda: open(f"/proc/{host}/mem", "rb").read(1) and "read")
attempt("read our first process's environment", lambda: "SECRET" in read("/proc/1/environ") or "clean")
attempt("trigger sysrq", lambda: open_for_writing("/proc/sysrq-trigger"))
attempt("change the kernel", lambda: open_for_writing("/proc/sys/kernel/core_pattern"))
attempt("change the machine", lambda: open_for_writing("/sys/kernel/uevent_helper"))
attempt("read the kernel's memory", lambda: open("/proc/kcore", "rb").read(1) and "read")
attempt("connect to the host", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", facts["port"])))
attempt("connect by IPv6", lambda: connect(socket.AF_INET6, socket.SOCK_STREAM, ("::1", facts["port"])))
attempt("send a datagram away", lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)))
attempt("raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and "opened")
attempt("socket of virtual machines", lambda: socket.socket(40, socket.SOCK_STREAM) and "opened")
attempt("connect to a daemon", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, facts["daemon"]))
attempt("connect to an abstract socket", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + facts["abstract"]))
attempt("signal the host", lambda: os.kill(host, 0) or "signalled")
attempt("trace the host", lambda: call(numbers["ptrace"], 16, host, 0, 0))
attempt("read the host's memory by call", lambda: call(numbers["process_vm_readv"], host, 0, 0, 0, 0, 0))
attempt("mount", lambda: call(numbers["mount"], text("none"), text(workspace), text("tmpfs"), 0, 0))
attempt("unmount", lambda: call(numbers["umount2"], text(home + "/.ssh"), 2))
attempt("unmount a protected file", lambda: call(numbers["umount2"], text(workspace + "/.git/config"), 2))
attempt("open a mount tree", lambda: call(numbers["open_tree"], -100, text("/"), 1))
attempt("unshare", lambda: call(numbers["unshare"], 0x10000000))
attempt("unshare program", clone_namespace)
attempt("chroot", lambda: call(numbers["chroot"], text("/tmp")))
attempt("key ring", lambda: call(numbers["keyctl"], 0, -3, 0))
attempt("bpf", lambda: call(numbers["bpf"], 0, 0, 0))
attempt("io_uring", lambda: call(numbers["io_uring_setup"], 1, 0))
attempt("type into a terminal", type_into_terminal)
attempt("make a device", lambda: os.mknod(workspace + "/disk", 0o60600, os.makedev(8, 0)) or "made")
attempt("become root", lambda: os.setuid(0) if os.getuid() else "root already")
attempt("secret in the environment", lambda: os.environ.get("DEMO_API_KEY", "absent"))
attempt("login agent in the environment", lambda: os.environ.get("SSH_AUTH_SOCK", "absent"))
attempt("write in the workspace", lambda: write(workspace + "/sub/made.txt"))
attempt("write a temporary file", lambda: write(os.environ["TMPDIR"] + "/made.txt"))
