"""Drives a whole session over RPC, with tools and URLs of its own. Uses nothing but the standard library."""
import json
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
events, report, count = [], {}, 0


def send(frame):
    process.stdin.write(json.dumps(frame) + "\n")
    process.stdin.flush()


def receive():
    line = process.stdout.readline()
    if not line:
        raise SystemExit("the server is gone")
    return json.loads(line)


def serve(frame):
    """Answers what the server asks; keeps what it tells."""
    kind = frame["type"]
    if kind == "host_tool_call":
        numbers = frame["arguments"]["numbers"]
        send({"type": "host_tool_update", "id": frame["id"], "partialResult": text("adding")})
        send({"type": "host_tool_result", "id": frame["id"], "result": text(f"sum: {sum(numbers)}")})
    elif kind == "host_uri_request":
        send({"type": "host_uri_result", "id": frame["id"], "content": f"row behind {frame['url']}"})
    elif kind == "extension_ui_request" and frame["method"] == "confirm":
        send({"type": "extension_ui_response", "id": frame["id"], "confirmed": True})
    else:
        events.append(frame)


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def ask(kind, **params):
    global count
    count += 1
    wanted = f"py-{count}"
    send({"id": wanted, "type": kind, **params})
    while True:
        frame = receive()
        if frame["type"] == "response" and frame.get("id") == wanted:
            return frame
        serve(frame)


def work(message):
    """Sends a prompt and serves the server until the agent is done."""
    assert ask("prompt", message=message)["success"]
    while not any(event["type"] == "agent_end" for event in events):
        serve(receive())
    done = [event for event in events if event["type"] != "message_update"]
    events.clear()
    return done


assert receive() == {"type": "ready"}
adder = {
    "name": "add",
    "description": "Adds numbers.",
    "parameters": {"type": "object", "properties": {"numbers": {"type": "array"}}, "required": ["numbers"]},
}
report["tools"] = ask("set_host_tools", tools=[adder])["data"]["toolNames"]
report["schemes"] = ask("set_host_uri_schemes", schemes=[{"scheme": "db"}])["data"]["schemes"]

report["hello"] = [event["type"] for event in work("grüß dich 😀")]
report["said"] = ask("get_last_assistant_text")["data"]["text"]
results = lambda done: [event["result"]["content"][0]["text"] for event in done if event["type"] == "tool_execution_end"]
report["sum"] = results(work('call add {"numbers": [1, 2, 39]}'))
report["wrong"] = results(work('call add {"words": []}'))[0]
report["row"] = results(work('call get {"url": "db://users/42"}'))
report["asked"] = results(work('call inquire {"question": "may I?"}'))

process.stdin.write("this is no JSON\n")
process.stdin.write('{"id": "odd", "type": "dance"}\n')
report["odd"] = ask("get_state")["success"]
report["bash"] = ask("bash", command="echo from bash")["data"]["output"]
report["stats"] = ask("get_session_stats")["data"]
first = ask("get_state")["data"]["sessionFile"]
assert ask("new_session")["success"]
work("second session")
assert ask("switch_session", sessionPath=first)["success"]
report["messages"] = len(ask("get_messages")["data"]["messages"])
user = ask("get_branch_messages")["data"]["messages"]
report["branched"] = ask("branch", entryId=user[1]["entryId"])["data"]["text"]
report["page"] = ask("export_html", outputPath="page.html")["data"]["path"]

assert ask("prompt", message="slow")["success"]
assert ask("abort")["success"]
assert ask("prompt", message="slow")["success"]
process.stdin.close()
while process.stdout.readline():
    pass
report["exit"] = process.wait(timeout=20)
print(json.dumps(report))
