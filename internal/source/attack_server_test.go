package source

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func pkt(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }

const (
	someCommit = "1212121212121212121212121212121212121212"
	advertised = "application/x-git-upload-pack-advertisement"
)

// liar is a server whose answers a test chooses. It counts the bytes that the client has read.
type liar struct {
	refs  string
	more  func(i int) string // returns the part of an answer after refs, or after a request for a pack
	taken atomic.Int64
}

func (l *liar) serve(t *testing.T) *webServer {
	w := serveHTTP(t, gittest.New(t))
	w.answer(func(rw http.ResponseWriter, req *http.Request) {
		post := req.Method == http.MethodPost
		if !post {
			rw.Header().Set("Content-Type", advertised)
			io.WriteString(rw, pkt("# service=git-upload-pack\n")+"0000"+l.refs)
		}
		if l.more == nil || !post && strings.HasSuffix(l.refs, "0000") {
			return
		}
		for i := 0; req.Context().Err() == nil; i++ {
			n, err := io.WriteString(rw, l.more(i))
			if l.taken.Add(int64(n)); err != nil {
				return
			}
		}
	})
	return w
}

func refLine(hash, name string) string { return pkt(hash + " " + name + "\n") }

func firstRef(hash, name, more string) string {
	return pkt(hash + " " + name + "\x00side-band-64k ofs-delta shallow no-progress " + more + "\n")
}

// TestAttackReferences has servers that advertise false references.
func TestAttackReferences(t *testing.T) {
	main := firstRef(someCommit, "refs/heads/main", "")
	for name, c := range map[string]struct {
		refs, branch string
		class        error
		words        string
	}{
		"a hash that is none":        {main + refLine(strings.Repeat("z", 40), "refs/heads/evil") + "0000", "evil", ErrNotFound, "no branch"},
		"a zero hash":                {main + refLine(strings.Repeat("0", 40), "refs/heads/evil") + "0000", "evil", ErrNotFound, "no branch"},
		"control characters":         {main + refLine(someCommit, "refs/heads/\x1b[2Jevil") + "0000", "evil", ErrNotFound, "no branch"},
		"dots":                       {main + refLine(someCommit, "refs/heads/../../evil") + "0000", "evil", ErrNotFound, "no branch"},
		"HEAD leads elsewhere":       {firstRef(someCommit, "refs/heads/main", "symref=HEAD:refs/pull/7/head") + "0000", "", ErrNotFound, "names no branch"},
		"HEAD leads out":             {firstRef(someCommit, "refs/heads/main", "symref=HEAD:refs/heads/../../x") + "0000", "", ErrNotFound, "names no branch"},
		"HEAD leads to nothing":      {firstRef(someCommit, "refs/heads/main", "symref=HEAD:refs/heads/gone") + "0000", "", ErrNotFound, "no branch"},
		"another reference's suffix": {main + refLine(someCommit, "refs/heads/evil^{}") + "0000", "evil", ErrNotFound, "no branch"},
		"no end":                     {main, "main", ErrUnavailable, ""},
		"an error with a cursor":     {pkt("ERR \x1b[2Jdenied \x07https://user:s3cr3t@host/x"), "main", ErrCredentials, "denied"},
		"a commit that is not sent":  {main + "0000", "main", ErrUnavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := &liar{refs: c.refs}
			err := fetchError(t, newRepo(t, Config{URL: l.serve(t).url(), Branch: c.branch}))
			wantError(t, err, c.class, c.words)
			if printable.Line(err.Error()) != err.Error() {
				t.Errorf("not fit for a terminal: %q", err)
			}
		})
	}
}

// TestAttackEndlessAnswers has endless answers, for every kind of answer of a server. It counts the
// bytes that the server could send, and the memory that was allocated.
func TestAttackEndlessAnswers(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	main := firstRef(someCommit, "refs/heads/main", "") + "0000"
	many := func(line string) func(int) string {
		lines := strings.Repeat(line, 64)
		return func(int) string { return lines }
	}
	for name, c := range map[string]struct {
		refs  string
		more  func(int) string
		taken int64
		most  int64
	}{
		"one reference, again": {firstRef(someCommit, "refs/heads/main", ""), many(refLine(someCommit, "refs/heads/x")), maxRefsBytes, 512 << 20},
		"references":           {firstRef(someCommit, "refs/heads/main", ""), func(i int) string { return refLine(someCommit, fmt.Sprint("refs/heads/", i)) }, maxRefsBytes, 1 << 30},
		"shallow lines":        {main, many(pkt("shallow " + someCommit)), maxPreamble, 64 << 20},
		"unshallow lines":      {main, many(pkt("unshallow " + someCommit)), maxPreamble, 64 << 20},
		"acknowledgements": {main, func(i int) string {
			if i == 0 {
				return "0000"
			}
			return pkt("ACK " + someCommit + "\n")
		}, maxPreamble, 64 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			if testcost.UnderRace && name == "references" {
				t.Skip("a million references take minutes under the race detector")
			}
			l := &liar{refs: c.refs, more: c.more}
			r := newRepo(t, Config{URL: l.serve(t).url(), Branch: "main"})
			var err error
			took := testcost.AllocatedWithoutRace(func() { err = fetchError(t, r) })
			wantError(t, err, ErrContent, "larger than")
			if taken := l.taken.Load(); taken > c.taken+16<<20 {
				t.Errorf("it took %d bytes", taken)
			}
			if took > c.most {
				t.Errorf("it asked for %d bytes", took)
			}
		})
	}
}

// repeating is a reader that repeats a text endlessly.
type repeating struct {
	text string
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[(r.at+i)%len(r.text)]
	}
	r.at = (r.at + len(p)) % len(r.text)
	return len(p), nil
}

// TestAttackEndlessSSH has endless answers over ssh, where no http client limits the answer.
func TestAttackEndlessSSH(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for _, line := range []string{pkt("shallow " + someCommit), pkt("unshallow " + someCommit)} {
		s := &sshSession{in: discarding{}, out: &repeating{text: line}, answered: true}
		s.stderr.done = done
		req := packp.NewUploadPackRequest()
		req.Wants, req.Depth = []plumbing.Hash{plumbing.NewHash(someCommit)}, packp.DepthCommits(1)
		if err := req.Capabilities.Set("shallow"); err != nil {
			t.Fatal(err)
		}
		took := testcost.AllocatedWithoutRace(func() {
			if _, err := s.UploadPack(t.Context(), req); !errors.Is(err, ErrContent) {
				t.Errorf("%v", err)
			}
		})
		if took > 64<<20 {
			t.Errorf("it asked for %d bytes", took)
		}
	}
}

type discarding struct{}

func (discarding) Write(p []byte) (int, error) { return len(p), nil }
func (discarding) Close() error                { return nil }

// TestAttackEndlessProgress has a server that reports progress endlessly, and sends no pack.
func TestAttackEndlessProgress(t *testing.T) {
	var read int64
	req := packp.NewUploadPackRequest()
	if err := req.Capabilities.Set("side-band-64k"); err != nil {
		t.Fatal(err)
	}
	raw := &bounded{r: counting{&repeating{text: pkt("\x02\x1b[2Jcounting")}, &read}, left: 10 << 20, what: "it"}
	if _, err := io.Copy(io.Discard, demux(req, raw)); !errors.Is(err, ErrContent) {
		t.Errorf("%v", err)
	}
	if read > 11<<20 {
		t.Errorf("%d bytes were read", read)
	}
}

type counting struct {
	io.Reader
	n *int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}

// TestAttackWords has a server whose messages would control a terminal, or show a login.
func TestAttackWords(t *testing.T) {
	const evil = "\x1b[2J\x07gone\u202e https://user:s3cr3t@host/x and more"
	sideband := &liar{refs: firstRef(someCommit, "refs/heads/main", "") + "0000",
		more: func(int) string { return "0000" + pkt("NAK\n") + pkt("\x03"+evil) }}
	status := serveHTTP(t, gittest.New(t))
	status.answer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		rw.WriteHeader(http.StatusTeapot)
		io.WriteString(rw, evil)
	})
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	far := serveSSH(t, g)
	far.refuse = evil
	config := gittest.New(t)
	if err := os.WriteFile(filepath.Join(config.Dir, ".git", "config"), []byte("[remote \"origin\"]\n\turl = https://user:s3cr3t@host/x\n[remote \x1b[2J https://user:s3cr3t@host/x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]Config{
		"sideband": {URL: sideband.serve(t).url(), Branch: "main"}, "status": {URL: status.url()}, "ssh": far.config(), "git config": {URL: config.Dir},
	} {
		t.Run(name, func(t *testing.T) {
			r, log := loggedRepo(t, cfg)
			_, _, err := r.Fetch(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			if printable.Line(err.Error()) != err.Error() || strings.ContainsAny(log.String(), "\x1b\x07\u202e") {
				t.Errorf("%q, log %q", err, log)
			}
			if name != "status" && name != "ssh" && strings.Contains(err.Error()+log.String(), "s3cr3t") {
				t.Errorf("%v, log %s", err, log)
			}
		})
	}
}

// TestAttackLongPaths has paths of 100,000 bytes made of valid names.
func TestAttackLongPaths(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	for range 6 {
		commitTree(t, g, "40000 "+g.Git("rev-parse", "HEAD^{tree}")+" "+strings.Repeat("n", 1000))
	}
	wantError(t, fetchError(t, newRepo(t, Config{URL: g.Dir})), ErrContent, "paths of more than")
}

// TestAttackDates has commits of the year 292277026596, of a time long before 1970, and of an
// invalid time zone.
func TestAttackDates(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	for _, date := range []string{"9223372036854775807 +0000", "-9223372036854775808 +0000", "1700000000 +9999", "1700000000 -9959", "x y", ""} {
		g := gittest.New(t)
		g.Commit("first", "a.yaml", "1")
		out := g.GitWith("tree "+g.Git("rev-parse", "HEAD^{tree}")+"\nparent "+someCommit+"\nauthor \x1b[2Ja <a> "+date+"\ncommitter a <a> "+date+"\n\n\x1b[2Jsubject\u202e\n", "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
		g.Git("update-ref", "refs/heads/main", strings.TrimSpace(out))
		rev, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir}))
		if _, err := rev.Time.MarshalJSON(); err != nil {
			t.Errorf("%q: %v", date, err)
		}
		if printable.Line(rev.Subject+rev.Author) != rev.Subject+rev.Author {
			t.Errorf("%q by %q", rev.Subject, rev.Author)
		}
	}
}
