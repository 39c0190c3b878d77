"""Runs cells of Python for Tenon: a plain interpreter of 3.8 or later is enough.

Requests come as lines of JSON on descriptor 3, answers go out on 4. All text that a cell writes, that of programs it starts too,
goes to descriptors 1 and 2, which are one pipe; a mark in that pipe tells where a cell's text ends. A second thread reads the
requests, so that a cell can be interrupted and tools can answer while it runs.
"""
import sys

if sys.version_info < (3, 8):
    sys.stderr.write("Python 3.8 or later is needed, this is %d.%d\n" % sys.version_info[:2])
    sys.exit(3)

# A json.py or ast.py of the project must not become a part of the runner. Cells get the folder back at the end.
sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]

import ast
import asyncio
import base64
import builtins
import inspect
import io
import json
import linecache
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
import traceback

MARK = os.environ.pop("TENON_KERNEL_MARK", "")
_OWN_FILE = sys._getframe().f_code.co_filename
MAX_BUNDLE = 12 * 1024 * 1024
_out_lock = threading.Lock()
for _fd in (3, 4):
    os.set_inheritable(_fd, False)


def _send(message):
    data = (json.dumps(message, ensure_ascii=False, default=str) + "\n").encode("utf-8", "surrogatepass")
    with _out_lock:
        view = memoryview(data)
        while view:
            view = view[os.write(4, view):]


class _State:
    cell = None
    count = 0
    interrupted = False
    calls = {}
    next_call = 0


_state = _State()
_requests = queue.Queue()
_main = threading.main_thread()
_loop = None


def _on_interrupt(_number, _frame):
    if _state.cell is not None:
        _state.interrupted = True
        raise KeyboardInterrupt


def _read_requests():
    with os.fdopen(3, "rb", closefd=False) as lines:
        for line in lines:
            message = json.loads(line)
            kind = message["type"]
            if kind == "interrupt":
                if _state.cell == message["id"]:
                    for slot in list(_state.calls.values()):
                        slot["done"].set()
                    signal.pthread_kill(_main.ident, signal.SIGINT)
            elif kind == "reply":
                slot = _state.calls.get(message["call"])
                if slot is not None:
                    slot["reply"] = message
                    slot["done"].set()
            else:
                _requests.put(message)
    # Tenon has ended, or wants no more of this process.
    os._exit(0)


# What cells can use beside Python itself.


def _status(op, **facts):
    if _state.cell is not None:
        _send({"type": "status", "id": _state.cell, "event": dict(facts, op=op)})


class Markdown:
    """Text that is shown as Markdown."""

    def __init__(self, data):
        self.data = str(data)

    def _repr_markdown_(self):
        return self.data

    def __repr__(self):
        return self.data


class HTML:
    """Text that is shown as HTML."""

    def __init__(self, data):
        self.data = str(data)

    def _repr_html_(self):
        return self.data

    def __repr__(self):
        return "<HTML>"


class JSON:
    """A value that is shown as JSON."""

    def __init__(self, data):
        self.data = data

    def _repr_json_(self):
        return self.data

    def __repr__(self):
        return repr(self.data)


class Image:
    """A picture from bytes or a file."""

    def __init__(self, data=None, filename=None, format=None):
        if isinstance(data, str):
            data, filename = None, data
        if data is None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data = bytes(data)
        self.mime = "image/jpeg" if format in ("jpg", "jpeg") or self.data[:2] == b"\xff\xd8" else "image/png"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}

    def __repr__(self):
        return "<Image %s, %d bytes>" % (self.mime, len(self.data))


_METHODS = (
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_json_", "application/json"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_html_", "text/html"),
)


def _bundle(value):
    """What a value looks like, by kind of content."""
    found = {}
    method = getattr(value, "_repr_mimebundle_", None)
    if method is not None and not inspect.isclass(value):
        try:
            made = method()
        except Exception:
            made = None
        if isinstance(made, tuple):
            made = made[0]
        if isinstance(made, dict):
            found.update(made)
    if not inspect.isclass(value):
        for name, mime in _METHODS:
            made_by = getattr(value, name, None)
            if made_by is None or mime in found:
                continue
            try:
                made = made_by()
            except Exception:
                continue
            if isinstance(made, tuple):
                made = made[0]
            if made is not None:
                found[mime] = made
    if type(value).__module__.startswith("matplotlib.") and hasattr(value, "savefig"):
        found.setdefault("image/png", _figure_png(value))
    if isinstance(value, (dict, list, tuple)) and "application/json" not in found:
        try:
            found["application/json"] = json.loads(json.dumps(value))
        except (TypeError, ValueError, RecursionError):
            pass
    return found


def _figure_png(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return buffer.getvalue()


def _encoded(mime, value):
    if mime.startswith("image/"):
        if isinstance(value, str):
            return "".join(value.split())
        return base64.b64encode(bytes(value)).decode("ascii")
    return value


def _show(value, is_result):
    bundle = _bundle(value)
    rich = {mime: _encoded(mime, one) for mime, one in bundle.items() if mime != "text/plain" and mime != "image/svg+xml"}
    if sum(len(one) if isinstance(one, str) else 64 for one in rich.values()) > MAX_BUNDLE:
        sys.stdout.write("(what was shown here is larger than %d MB and was left out)\n" % (MAX_BUNDLE >> 20))
        return
    sys.stdout.flush()
    if is_result and set(rich) == {"application/json"}:
        # The value of a cell is read as Python writes it.
        rich = {}
    # Text stands in the stream of text, so that it keeps its place between what is printed.
    if "text/markdown" in rich:
        sys.stdout.write(str(rich["text/markdown"]).rstrip("\n") + "\n")
    elif "application/json" in rich and not any(mime.startswith("image/") for mime in rich):
        sys.stdout.write(json.dumps(rich["application/json"], ensure_ascii=False, default=str) + "\n")
    elif "text/html" in rich and "text/plain" not in bundle and type(value).__repr__ is object.__repr__:
        pass
    elif isinstance(value, HTML):
        pass
    elif any(mime.startswith("image/") for mime in rich):
        pass
    else:
        text = value if isinstance(value, str) and not is_result else bundle.get("text/plain")
        sys.stdout.write((text if isinstance(text, str) else repr(value)) + "\n")
    if rich:
        _send({"type": "display", "id": _state.cell, "bundle": rich})


def display(*values, **_options):
    """Shows values: pictures, JSON, Markdown, tables, or their text."""
    for value in values:
        _show(value, False)


class ToolError(Exception):
    """A tool that was called from a cell refused or failed."""


def _call_tool(name, args):
    if _state.cell is None:
        raise ToolError("tools can be called only while a cell runs")
    if threading.current_thread() is not _main:
        raise ToolError("tools can be called only from the main thread")
    _state.next_call += 1
    number = _state.next_call
    slot = {"done": threading.Event(), "reply": None}
    _state.calls[number] = slot
    try:
        _send({"type": "tool", "id": _state.cell, "call": number, "name": name, "args": args})
        slot["done"].wait()
    finally:
        del _state.calls[number]
    reply = slot["reply"]
    if reply is None:
        raise KeyboardInterrupt
    if not reply["ok"]:
        raise ToolError(reply["text"])
    return reply["text"]


class _Tools:
    """tool.read(path="README.md") calls Tenon's tool of that name and gives its text."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args, **kwargs):
            if args and not (len(args) == 1 and isinstance(args[0], dict)):
                raise TypeError("tools take named arguments: tool.%s(name=value)" % name)
            return _call_tool(name, dict(args[0] if args else {}, **kwargs))

        call.__name__ = name
        return call

    def __repr__(self):
        return "<Tenon's tools: tool.NAME(argument=value)>"


def read(path, offset=1, limit=None):
    """The text of a file, or some of its lines."""
    with open(os.path.expanduser(path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    if offset != 1 or limit is not None:
        lines = text.splitlines(True)[max(0, offset - 1):]
        text = "".join(lines if limit is None else lines[:limit])
    _status("read", path=str(path), chars=len(text))
    return text


def _put(op, mode, path, text):
    path = os.path.expanduser(path)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)
    _status(op, path=str(path), chars=len(text))
    return path


def write(path, text):
    """Replaces a file's text."""
    return _put("write", "w", path, text)


def append(path, text):
    """Adds text at the end of a file."""
    return _put("append", "a", path, text)


def _lines(value):
    return value.splitlines() if isinstance(value, str) else list(value)


def sort(value, reverse=False, unique=False):
    """Lines in order."""
    lines = _lines(value)
    return sorted(set(lines) if unique else lines, reverse=reverse)


def uniq(value):
    """Lines without repetitions, in their first order."""
    return list(dict.fromkeys(_lines(value)))


def counter(value, limit=None):
    """How often each line occurs, the most frequent first."""
    import collections

    return collections.Counter(_lines(value)).most_common(limit)


def diff(one, two):
    """The difference of two files."""
    import difflib

    a, b = read(one), read(two)
    return "".join(difflib.unified_diff(a.splitlines(True), b.splitlines(True), str(one), str(two)))


def tree(path=".", depth=3, hidden=False):
    """The names in a folder, as a tree."""
    rows = [str(path)]

    def walk(folder, level):
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
        except OSError as fault:
            rows.append("  " * level + "(%s)" % fault.strerror)
            return
        for entry in entries:
            if entry.name.startswith(".") and not hidden:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            rows.append("  " * level + entry.name + ("/" if is_folder else ""))
            if is_folder and level < depth:
                walk(entry.path, level + 1)

    walk(os.path.expanduser(path), 1)
    _status("tree", path=str(path), entries=len(rows) - 1)
    return "\n".join(rows)


def env(name=None, value=None):
    """Variables of the environment: all, one, or set one."""
    if name is None:
        return dict(os.environ)
    if value is not None:
        os.environ[name] = str(value)
    return os.environ.get(name)


def output(*ids):
    """The full text of earlier outputs, by the number in artifact://NUMBER."""
    texts = [_call_tool("read", {"path": "artifact://%s:raw" % one}) for one in ids]
    return texts[0] if len(texts) == 1 else texts


def _no_input(prompt=""):
    raise EOFError("nobody can answer: pass data in the code instead of using input()")


class _CommandOutput(list):
    """The lines that a command wrote."""

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)


class _UsageError(NameError):
    pass


def _run_command(command, captured):
    if not captured:
        sys.stdout.flush()
        subprocess.run(command, shell=True, stdin=subprocess.DEVNULL)
        return None
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return _CommandOutput(done.stdout.decode("utf-8", "replace").splitlines())


def _timed(code):
    start = time.perf_counter()
    try:
        return _execute(code, "<time>", show=False)
    finally:
        elapsed = (time.perf_counter() - start) * 1000
        print("%.3f ms" % elapsed)
        _status("time", ms=elapsed)


def _timeit(code):
    import timeit

    timer = timeit.Timer(code, globals=_names)
    number, _ = timer.autorange()
    best = min(timer.repeat(3, number)) / number * 1000
    print("%.6f ms per loop (best of 3, %d loops each)" % (best, number))
    _status("timeit", ms=best, loops=number)


def _pip(args):
    before = set(sys.modules)
    subprocess.run([sys.executable, "-m", "pip"] + shlex.split(args), stdin=subprocess.DEVNULL)
    import importlib

    importlib.invalidate_caches()
    for name in [one for one in sys.modules if one not in before]:
        del sys.modules[name]


def _change_folder(args):
    os.chdir(os.path.expanduser(args.strip() or "~"))
    _status("cd", path=os.getcwd())
    return os.getcwd()


def _environment(args):
    name, found, value = args.partition("=")
    if found:
        return env(name.strip(), value.strip())
    return env(args.strip() or None)


def _set_environment(args):
    name, _, value = args.strip().partition(" ")
    return env(name, value.strip())


def _user_names():
    return sorted(name for name in _names if not name.startswith("_") and name not in _own_names)


def _whos():
    for name in _user_names():
        print("%-20s %-15s %s" % (name, type(_names[name]).__name__, repr(_names[name])[:60].replace("\n", " ")))


def _reset_names():
    _names.clear()
    _names.update(_fresh_names())


def _run_file(args):
    import runpy

    words = shlex.split(args)
    before = sys.argv
    sys.argv = words
    try:
        made = runpy.run_path(os.path.expanduser(words[0]), run_name="__main__")
    finally:
        sys.argv = before
    _names.update({name: value for name, value in made.items() if not name.startswith("__")})


_LINE_MAGICS = {
    "pip": _pip,
    "cd": _change_folder,
    "pwd": lambda args: os.getcwd(),
    "ls": lambda args: sorted(os.listdir(os.path.expanduser(args.strip() or "."))),
    "env": _environment,
    "set_env": _set_environment,
    "time": _timed,
    "timeit": _timeit,
    "who": lambda args: print("  ".join(_user_names())),
    "whos": lambda args: _whos(),
    "reset": lambda args: _reset_names(),
    "load": lambda args: _execute(read(args.strip()), args.strip(), show=False),
    "run": _run_file,
}


def _shell_cell(shell):
    def run(args, body):
        sys.stdout.flush()
        code = subprocess.run([shell, "-c", body] + shlex.split(args), stdin=subprocess.DEVNULL).returncode
        if code:
            raise RuntimeError("%s ended with exit code %d" % (shell, code))

    return run


def _capture_cell(args, body):
    import contextlib

    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer), contextlib.redirect_stderr(buffer):
        _execute(body, "<capture>", show=False)
    if args.strip():
        _names[args.strip()] = buffer.getvalue()


def _write_cell(args, body):
    words = shlex.split(args)
    path = words[-1]
    _put("write", "a" if "-a" in words else "w", path, body if body.endswith("\n") else body + "\n")
    print("Wrote %s" % path)


_CELL_MAGICS = {
    "bash": _shell_cell("bash"),
    "sh": _shell_cell("sh"),
    "capture": _capture_cell,
    "timeit": lambda args, body: _timeit(body),
    "time": lambda args, body: _timed(body),
    "writefile": _write_cell,
}


def _magic(name, args):
    if name not in _LINE_MAGICS:
        raise _UsageError("UsageError: there is no %%%s here; there are %s" % (name, ", ".join(sorted(_LINE_MAGICS))))
    return _LINE_MAGICS[name](args)


_MAGIC_LINE = re.compile(r"^(\s*)(?:([A-Za-z_][\w.]*)\s*=\s*)?([%!])(.*)$")


def _translate_line(line):
    found = _MAGIC_LINE.match(line)
    if not found:
        return None
    indent, target, sign, rest = found.groups()
    if sign == "!":
        call = "__tenon_command__(%r, %r)" % (rest.lstrip("!").strip(), target is not None)
    else:
        word = re.match(r"([A-Za-z_]\w*)\s?(.*)$", rest)
        if not word:
            return None
        call = "__tenon_magic__(%r, %r)" % word.groups()
    return indent + (target + " = " if target else "") + call


def _parse(code, name):
    """The cell's syntax tree. A line that is no Python and looks like a magic becomes a call; all other lines stay."""
    lines = code.split("\n")
    for _ in range(len(lines) + 1):
        try:
            return compile("\n".join(lines), name, "exec", _FLAGS | ast.PyCF_ONLY_AST)
        except SyntaxError as fault:
            at = (fault.lineno or 1) - 1
            # Some versions name the line after the one that is wrong.
            for index in (at, at - 1):
                made = _translate_line(lines[index]) if 0 <= index < len(lines) else None
                if made is not None:
                    lines[index] = made
                    break
            else:
                raise
    raise SyntaxError("this cell cannot be read")


_FLAGS = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0x2000)


def _run_code(code, names):
    if code.co_flags & inspect.CO_COROUTINE:
        task = _loop.create_task(eval(code, names))
        try:
            return _loop.run_until_complete(task)
        except KeyboardInterrupt:
            if not task.done():
                task.cancel()
                try:
                    _loop.run_until_complete(asyncio.wait([task], timeout=1))
                except KeyboardInterrupt:
                    pass
            raise
    return eval(code, names)


def _execute(code, name, show=True):
    if code.lstrip().startswith("%%"):
        head, _, body = code.lstrip()[2:].partition("\n")
        word, _, args = head.partition(" ")
        if word not in _CELL_MAGICS:
            raise _UsageError("UsageError: there is no %%%%%s here; there are %s" % (word, ", ".join(sorted(_CELL_MAGICS))))
        return _CELL_MAGICS[word](args, body)
    module = _parse(code, name)
    last = None
    ends_quietly = code.rstrip().endswith(";")
    if module.body and isinstance(module.body[-1], ast.Expr):
        last = ast.Expression(module.body.pop().value)
    result = None
    if module.body:
        _run_code(compile(module, name, "exec", _FLAGS), _names)
    if last is not None:
        result = _run_code(compile(last, name, "eval", _FLAGS), _names)
    if show and result is not None and not ends_quietly:
        _names["_"] = result
        _show(result, True)
    return result


def _show_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        _send({"type": "display", "id": _state.cell, "bundle": {"image/png": _encoded("image/png", _figure_png(figure))}})
    pyplot.close("all")


def _print_fault(fault):
    """The traceback without the lines that are this program's."""
    report = traceback.TracebackException(type(fault), fault, fault.__traceback__)
    one, seen = report, set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        kept = [frame for frame in one.stack if frame.filename != _OWN_FILE]
        one.stack = traceback.StackSummary.from_list(kept)
        one = one.__cause__ or one.__context__
    sys.stderr.write("".join(report.format()))


def _run_cell(message):
    _state.count += 1
    _state.interrupted = False
    name = "<cell %d>" % _state.count
    code = message["code"]
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    done = {"type": "done", "id": message["id"], "status": "ok"}
    signal.signal(signal.SIGINT, _on_interrupt)
    asyncio.set_event_loop(_loop)
    try:
        _state.cell = message["id"]
        try:
            _execute(code, name)
            _show_figures()
        finally:
            _state.cell = None
    except KeyboardInterrupt:
        done["status"] = "interrupted" if _state.interrupted else "error"
        sys.stderr.write("KeyboardInterrupt\n")
    except SystemExit as fault:
        done["status"] = "ok" if fault.code in (None, 0) else "error"
        if done["status"] == "error":
            sys.stderr.write("SystemExit: %s\n" % fault.code)
    except BaseException as fault:
        done["status"] = "error"
        done["error"] = {"name": type(fault).__name__, "message": str(fault)[:2000]}
        try:
            _print_fault(fault)
        except Exception as worse:
            sys.stderr.write("%s (and its text could not be made: %r)\n" % (type(fault).__name__, worse))
    return done


def _fresh_names():
    names = {
        "__name__": "__main__",
        "__builtins__": builtins,
        "__doc__": None,
        "__tenon_magic__": _magic,
        "__tenon_command__": _run_command,
        "display": display,
        "Markdown": Markdown,
        "HTML": HTML,
        "JSON": JSON,
        "Image": Image,
        "ToolError": ToolError,
        "tool": _Tools(),
    }
    for helper in (read, write, append, sort, uniq, counter, diff, tree, env, output):
        names[helper.__name__] = helper
    return names


def _main_loop():
    while True:
        try:
            message = _requests.get()
        except KeyboardInterrupt:
            continue
        if message["type"] == "exit":
            os._exit(0)
        try:
            done = _run_cell(message)
        except KeyboardInterrupt:
            # It came just as the cell ended.
            done = {"type": "done", "id": message["id"], "status": "interrupted"}
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass
        os.write(2, ("\x1e%s:%s\x1e" % (MARK, message["id"])).encode("ascii"))
        _send(done)


sys.argv = [""]
sys.path[0:0] = [""] if "" not in sys.path else []
sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), "utf-8", "backslashreplace", line_buffering=True)
sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), "utf-8", "backslashreplace", line_buffering=True)
os.environ.setdefault("MPLBACKEND", "Agg")
builtins.input = _no_input
_loop = asyncio.new_event_loop()
_main_module = type(sys)("__main__")
sys.modules["__main__"] = _main_module
_names = _main_module.__dict__
_names.update(_fresh_names())
_own_names = set(_names)
signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Thread(target=_read_requests, daemon=True, name="tenon-requests").start()
_send({"type": "ready", "version": "Python %d.%d.%d" % sys.version_info[:3]})
_main_loop()
