"""A database in one file, which one transaction at a time locks: for TestProgram."""
import fcntl
import json
import os
import sys

folder = sys.argv[1]
path = os.path.join(folder, "data.json")
lock = open(os.path.join(folder, "lock"), "a")
data = None


def at(kind, key, empty):
    return data.setdefault(kind, {}).setdefault(str(key), empty)


def answer(r):
    global data
    op = r["op"]
    if op == "prepare" or op == "drop":
        json.dump({}, open(path, "w"))
        return {"name": "a file"}
    if op == "begin":
        fcntl.flock(lock, fcntl.LOCK_EX)
        data = json.load(open(path))
        return {}
    if op == "commit" or op == "rollback":
        if op == "commit":
            json.dump(data, open(path, "w"))
        fcntl.flock(lock, fcntl.LOCK_UN)
        return {}
    key, value = r["key"], r.get("value", 0)
    if op == "read":
        row = at("register", key, [])
        return {"found": True, "value": row[0], "data": row[1]} if row else {}
    if op == "write":
        at("register", key, [])[:] = [value, r.get("data", 0)]
    elif op == "append":
        at("list", key, []).append(value)
    elif op == "read-list":
        return {"elements": at("list", key, [])}
    elif op in ("put", "bury"):
        at("row", key, [])[:] = [value, op == "bury"]
    elif op == "scan":
        rows = [(k, at("row", k, [])) for k in range(key, r.get("high", 0) + 1)]
        return {"rows": [{"key": k, "value": x[0], "dead": x[1]} for k, x in rows if x]}
    else:
        return {"error": "unknown request " + op}
    return {}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
