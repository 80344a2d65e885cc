#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A headless Chromium that shows a page from disk; reports its requests and console messages."""
import json
import os
import pathlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# Seconds, far above what anything takes.
WAIT = int(os.environ.get("PAGE_WAIT", "300"))


class Browser:
    """A browser for many pages: "with Browser() as b"."""

    def __init__(self, size=(1280, 800)):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        self.dir = tempfile.TemporaryDirectory()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update",
                     "--user-data-dir=" + self.dir.name, "--window-size=%d,%d" % size):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service("/usr/bin/chromedriver", log_path=os.devnull), options=options)
        self.driver.set_script_timeout(WAIT)
        self.driver.set_page_load_timeout(WAIT)
        self.resize(*size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.dir.cleanup()

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def js(self, expression, *args):
        """Return the value of an expression; for a promise, the value that it resolves to."""
        return self.driver.execute_script("return " + expression.strip(), *args)

    def run(self, statements, *args):
        return self.driver.execute_script(statements, *args)

    def wait(self, code, *args):
        """Wait until an expression is true; poll between frames.  Return its value or None."""
        return self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);
            const test = new Function(...args.map((a, i) => 'a' + i), 'return ' + %s);
            const end = performance.now() + %d;
            (function look() {
                let value = null;
                try { value = test(...args); } catch (e) { value = null; }
                if (value || performance.now() > end) done(value || null);
                else setTimeout(look, 15);
            })();""" % (json.dumps(code), 1000 * WAIT // 2), *args)

    def open(self, path, fragment=""):
        """Load a page anew.  Return the milliseconds until it was usable, -1 if it never was."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait("performance.getEntriesByName('usable').length || "
                  "document.querySelector('.fault')")
        return self.js("(performance.getEntriesByName('usable')[0] || {startTime: -1}).startTime")

    def go(self, fragment):
        """Go to a view and wait until it is shown."""
        self.run("location.hash = arguments[0]", fragment)
        return self.wait("document.querySelector('#content > section:not([hidden])')"
                         ".dataset.shown === a0", fragment)

    def messages(self):
        """Return the console messages since the page was opened or since the last call."""
        return [m["message"] for m in self.driver.get_log("browser")]

    def requests(self):
        """Return the addresses requested since the page was opened or since the last call."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
            elif message["method"] in ("Network.webSocketCreated", "Network.webTransportCreated"):
                found.append(message["params"]["url"])
        return found

    def keys(self, *keys, shift=False):
        """Send keys to whatever has the focus."""
        chain = ActionChains(self.driver)
        if shift:
            chain.key_down(Keys.SHIFT)
        for key in keys:
            chain.send_keys(key)
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()

    def dark(self, on):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if on else "light"}]})

    def shot(self, path):
        self.driver.save_screenshot(str(path))
