#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Check that Firefox shows the same pages: firefox.py DIR

Drives Firefox with WebDriver BiDi, which needs no geckodriver: Debian has none.  Every view must
be shown, without console messages or requests.  DIR and the output are those of check.py.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import websocket

WAIT = 300      # seconds, far above what anything takes
VIEWS = ("timeline", "tree", "slowest", "path", "file", "findings", "packages")


class Firefox:
    def __init__(self):
        self.dir = tempfile.TemporaryDirectory()
        # turn off requests of the browser itself
        pathlib.Path(self.dir.name, "user.js").write_text("".join(
            'user_pref("%s", %s);\n' % pref for pref in (
                ("app.update.enabled", "false"), ("browser.shell.checkDefaultBrowser", "false"),
                ("datareporting.policy.dataSubmissionEnabled", "false"),
                ("toolkit.telemetry.enabled", "false"), ("browser.startup.page", "0"))))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0",
             "--profile", self.dir.name, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "HOME": self.dir.name})
        for line in self.process.stderr:
            if match := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                break
        else:
            raise RuntimeError("Firefox does not start")
        self.socket = websocket.create_connection(match[1] + "/session", timeout=WAIT,
                                                  suppress_origin=True)
        self.serial = 0
        self.messages, self.asked = [], []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.dir.cleanup()

    def call(self, method, **params):
        self.serial += 1
        self.socket.send(json.dumps({"id": self.serial, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded":
                self.messages.append(message["params"]["text"])
            elif message.get("method") == "network.beforeRequestSent":
                self.asked.append(message["params"]["request"]["url"])
            elif message.get("id") == self.serial:
                if message["type"] == "error":
                    raise RuntimeError("%s: %s" % (method, message["message"]))
                return message["result"]

    def js(self, expression):
        """Return an expression's value, as far as JSON can express it."""
        result = self.call("script.evaluate", expression="(async () => JSON.stringify(await (%s)))()"
                           % expression, target={"context": self.tab}, awaitPromise=True)
        if result["type"] != "success":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"].get("value") or "null")

    def wait(self, expression):
        end = time.monotonic() + WAIT
        while not (value := self.js(expression)):
            assert time.monotonic() < end, expression
            time.sleep(0.02)
        return value

    def keys(self, *keys):
        self.call("input.performActions", context=self.tab, actions=[{
            "type": "key", "id": "keyboard", "actions": [
                {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]}])


def look(f, page, large):
    """Show every view of a page.  Return the ms until it was usable, and the ms of each frame."""
    f.messages.clear()
    f.asked.clear()
    f.call("browsingContext.navigate", context=f.tab, url=page.resolve().as_uri(), wait="complete")
    f.wait("performance.getEntriesByName('usable').length || document.querySelector('.fault')")
    took = f.js("performance.getEntriesByName('usable')[0].startTime")
    for view in VIEWS:
        f.js("location.hash = '#%s'" % view)
        f.wait("document.querySelector('#content > section:not([hidden])').dataset.shown === '#%s'" % view)
        assert f.js("document.querySelector('#content > section:not([hidden]) h2').checkVisibility()"), view
    f.js("location.hash = '#timeline'")
    f.wait("!document.getElementById('view-timeline').hidden")
    f.js("document.getElementById('chart').focus()")
    frames = []
    for key in 5 * "+" + 5 * "-":
        before = f.js("timeline.frames.n")
        f.keys(key)
        f.wait("timeline.frames.n > %d" % before)
        frames.append(f.js("timeline.frames.ms"))
    f.keys("\ue014")    # the right arrow
    assert f.wait("document.querySelector('.description').textContent")
    assert f.js("timeline.frames.rectangles") > 0
    if large:
        assert f.js("model.meta.counts.run") >= 100000
    assert f.js("window.harmed === undefined")
    assert not f.messages, f.messages
    # data: URLs load nothing; Firefox uses one for the font of list markers
    others = [a for a in f.asked if not a.startswith((page.resolve().as_uri(), "data:"))]
    assert not others, others
    return took, frames


def main():
    dir = pathlib.Path(sys.argv[1])
    with Firefox() as f:
        for name in ("kernel", "wrong-writers", "hostile", "large"):
            what = "Firefox shows every view of %s" % name
            try:
                took, frames = look(f, dir / (name + ".html"), name == "large")
                print("| Firefox: %s usable after %d ms, frames of %s ms" % (
                    name, took, " ".join("%.0f" % ms for ms in frames)))
                print("ok: " + what)
            except Exception as fault:      # go on with the next page
                traceback.print_exc(file=sys.stdout)
                print("not ok: %s: %s" % (what, str(fault).split("\n")[0][:300]))


main()
