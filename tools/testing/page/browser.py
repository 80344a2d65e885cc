#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A headless Chromium that shows a page from disk, and what it asked for and said."""
import json
import os
import pathlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# Seconds; nothing should take nearly as long.
WAIT = int(os.environ.get("PAGE_WAIT", "300"))


class Browser:
    """One browser for many pages; "with Browser() as b"."""

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
        """Its value; of a promise, what it becomes."""
        return self.driver.execute_script("return " + expression.strip(), *args)

    def run(self, statements, *args):
        return self.driver.execute_script(statements, *args)

    def wait(self, code, *args):
        """Until an expression is true, looked at between frames."""
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
        """A page anew, until it can be used.  Return: milliseconds that took, -1 never"""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait("performance.getEntriesByName('usable').length || "
                  "document.querySelector('.fault')")
        return self.js("(performance.getEntriesByName('usable')[0] || {startTime: -1}).startTime")

    def go(self, fragment):
        """Another view, until it is shown."""
        self.run("location.hash = arguments[0]", fragment)
        return self.wait("document.querySelector('#content > section:not([hidden])')"
                         ".dataset.shown === a0", fragment)

    def said(self):
        """What the console has, since the page was opened or this was asked last."""
        return [m["message"] for m in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that were asked for since then."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
            elif message["method"] in ("Network.webSocketCreated", "Network.webTransportCreated"):
                found.append(message["params"]["url"])
        return found

    def keys(self, *keys, shift=False):
        """To whatever has the focus."""
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
