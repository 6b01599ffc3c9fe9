#!/usr/bin/env python3
"""Fill the form of `espalier serve` in a real browser, and look at it while it fills.

    pip install websocket-client            # and chromium, from the system's packages
    swift build --product espalier
    python Tests/Consumers/servers/form_page.py [--model smollm2|MODEL.gguf] [--screenshots FOLDER]

The page must fill its fields one after the other, end with a value of the form, and load nothing from elsewhere. Where
there is no browser or no client library the script says so and ends with 0.
"""
import argparse, base64, json, pathlib, re, shutil, subprocess, sys, tempfile, time, urllib.request

try:
    import websocket
except ImportError:
    print("skipped: no websocket-client")
    sys.exit(0)


class Browser:
    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,620", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"ws://127.0.0.1:(\d+)/", line):
                break
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/json"))
        page = next(page for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=60)
        self.count = 0
        self.requests = []
        self.call("Network.enable")
        self.call("Page.enable")

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            if message.get("id") == self.count:
                assert "error" not in message, message
                return message["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


FIELDS = """JSON.stringify(Object.fromEntries([...document.querySelector("form").elements].map(
  field => [field.name, field.type === "checkbox" ? field.checked : field.value])))"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="sampling")
    parser.add_argument("--espalier", default=".build/debug/espalier")
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("skipped: no browser")
        return
    serve = subprocess.Popen([options.espalier, "serve", "--model", options.model, "--port", "0", "--quiet"],
                             stdout=subprocess.PIPE, text=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = None
        try:
            address = serve.stdout.readline().split()[-1]
            browser = Browser(program, folder)
            browser.call("Page.navigate", url=f"{address}/")
            while browser.value('document.readyState') != "complete":
                time.sleep(0.05)
            browser.value('document.getElementById("fill").click()')
            seen, halfway = [], False
            deadline = time.monotonic() + 60
            while True:
                status = browser.value('document.getElementById("status").textContent')
                done = browser.value('document.querySelectorAll("label.done").length')
                if not seen or seen[-1] != done:
                    seen.append(done)
                if options.screenshots and 3 <= done < 6 and not halfway:
                    halfway = True
                    browser.screenshot(options.screenshots / "form-halfway.png")
                if status.startswith("Done") or time.monotonic() > deadline:
                    break
                time.sleep(0.02)
            assert status.startswith("Done"), status
            assert browser.value('document.getElementById("status").className') == "", status
            assert seen == sorted(seen) and seen[-1] == 6, seen
            value = json.loads(browser.value('document.getElementById("json").textContent'))
            fields = json.loads(browser.value(FIELDS))
            assert {key: str(one) for key, one in value.items()} == {k: str(v) for k, v in fields.items()}, (value, fields)
            assert fields["room"] in ("single", "double", "suite") and 1 <= int(fields["nights"]) <= 14, fields
            assert all(url.startswith(address) for url in browser.requests if not url.startswith("data:")), browser.requests
            if options.screenshots:
                browser.screenshot(options.screenshots / "form-done.png")
            # A schema that cannot be held is an error that a person can read.
            browser.value("""document.getElementById("schema").value = '{"type": "object", "properties": {"a": {"type": "wrong"}}}'""")
            browser.value('document.getElementById("fill").click()')
            while browser.value('document.getElementById("fill").disabled'):
                time.sleep(0.05)
            message = browser.value('document.getElementById("status").textContent')
            assert "type" in message, message
            print(f"The form was filled field by field: {json.dumps(value)}")
            print(f"A wrong schema: {message}")
        finally:
            serve.terminate()
            if browser:
                browser.process.terminate()
                browser.process.wait()


main()
