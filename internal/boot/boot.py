# What every machine of a cluster does before its program runs: it fetches that, and tells the agent why it cannot begin.
def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def reason(failed):
    """An error in one line."""
    if isinstance(failed, subprocess.CalledProcessError):
        return "%s: %s" % (" ".join(failed.cmd), ((failed.stderr or "").strip() or "exit status %d" % failed.returncode).splitlines()[-1])
    return ("%s" if isinstance(failed, RuntimeError) else type(failed).__name__ + ": %s") % failed


def downloaded():
    """The file at the address that the program comes from, which has to have the digest that is given."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    address = WANTED["from"].replace("{version}", WANTED["version"]).replace("{arch}", machine)
    shown = re.sub("//[^/@]*@", "//", address).partition("?")[0]  # without credentials
    try:
        with urllib.request.urlopen(address, timeout=600) as answer:
            data = answer.read()
    except (OSError, http.client.HTTPException) as failed:
        raise RuntimeError("%s cannot be downloaded: %s" % (shown, failed)) from None
    digest = hashlib.sha256(data).hexdigest()
    if WANTED["sha256"] and digest != WANTED["sha256"]:
        raise RuntimeError("%s has the SHA-256 digest %s, not %s" % (shown, digest, WANTED["sha256"]))
    return data


class Porch(http.server.BaseHTTPRequestHandler):
    """Answers whoever asks on the program's port before the program does."""
    failure = ""

    def do_GET(self):
        body = json.dumps({"state": "fails" if Porch.failure else "starts", "message": Porch.failure}).encode()
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in ME["address"] else socket.AF_INET

    def handle_error(self, *_):
        """A client without a certificate gets no answer, and no line in the log."""


def serve(port, handler, tls=None):
    server = Server((ME["address"], port), handler)
    if tls:  # each connection begins to talk in a thread of its own
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def close(server):
    server.shutdown()
    server.server_close()


STARTED, SOON, SHOWN = "/run/%s.started" % os.path.basename(HERE), 30, 5  # seconds
TELLING = re.compile(r'"level":"(fatal|panic)"|^panic: |^\w*(Error|Exception)\b')


def last_words():
    """The line of the service's log that says why it ended, or its last one."""
    log = subprocess.run(("journalctl", "-q", "-o", "cat", "-n", "50", "--no-pager", "_SYSTEMD_UNIT=" + os.path.basename(UNIT)), capture_output=True, text=True)
    lines = [line.strip() for line in log.stdout.splitlines() if line.strip()]
    return ([line for line in lines if TELLING.search(line)] or lines or ["it ended soon after its start, and its log is empty"])[-1]


def ended_soon():
    """Whether the service was started a moment ago, and ended since."""
    now, before = time.monotonic(), ""
    if os.path.exists(STARTED):
        before = open(STARTED).read()
    with open(STARTED, "w") as f:
        f.write(str(now))
    return before != "" and 0 <= now - float(before) < SOON


def prepared(port, prepare, tls=None):
    """What prepare returns once it succeeds. Meanwhile, and for a moment where the service ended soon after its last start, the agent is told why."""
    porch, pause = serve(port, Porch, tls), 1
    try:
        if ended_soon():
            Porch.failure = last_words()
            time.sleep(SHOWN)
        while True:
            try:
                return prepare()
            except Exception as failed:
                Porch.failure = reason(failed)
                say(Porch.failure)
                time.sleep(pause)
                pause = min(2 * pause, 60)
    finally:
        close(porch)
