package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// httpRemote fetches with Git's smart protocol over https.
type httpRemote struct {
	addr   address
	auth   Auth
	caFile string
	client *http.Client // used for all polls, so that they share a connection
}

func (r *httpRemote) open(ctx context.Context, hidden *secrets) (transport.UploadPackSession, error) {
	user, password, err := r.auth.login(ctx, r.addr)
	if err != nil {
		return nil, err
	}
	if r.client == nil {
		if r.client, err = newHTTPClient(r.caFile); err != nil {
			return nil, err
		}
	}
	endpoint := &transport.Endpoint{Protocol: r.addr.scheme, Host: hostOnly(r.addr), Port: r.addr.port, Path: r.addr.path}
	git := githttp.NewClientWithOptions(r.client, &githttp.ClientOptions{RedirectPolicy: githttp.FollowInitialRedirects})
	var session transport.UploadPackSession
	if password == "" {
		session, err = git.NewUploadPackSession(endpoint, nil)
	} else {
		hidden.addLogin(user, password)
		session, err = git.NewUploadPackSession(endpoint, &githttp.BasicAuth{Username: user, Password: password})
	}
	if err != nil {
		return nil, err
	}
	return httpSession{session}, nil
}

func hostOnly(a address) string {
	a.port = 0
	return a.hostPort()
}

func newHTTPClient(caFile string) (*http.Client, error) {
	config, err := outbound.Trusting(caFile)
	if err != nil {
		return nil, failure.New(ErrConfig, "caFile: %s", err)
	}
	// The guard's own limits are smaller, and its error says what is too large.
	client := outbound.Client(guard{outbound.New(outbound.Config{TLS: config, MaxAnswer: maxPackBytes + maxPackBytes/8, IdlePerHost: 2})}, 0)
	client.CheckRedirect = checkRedirect
	return client, nil
}

// checkRedirect allows a redirect only to the host in source.url. With a redirect to another host,
// a server could make this program send requests that only this machine can send, or send a login
// to that host. The certificate is checked again after a redirect. So it does not help an attacker
// if the name of the host leads to another machine. http is allowed only for loopback addresses.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > 5:
		return failure.New(ErrConfig, "the server redirects more than 5 times; set source.url to the repository's own address")
	case req.URL.Scheme != "https" && !outbound.Loopback(req.URL.Hostname()):
		return failure.New(ErrConfig, "the server redirects to an address that is not encrypted; set source.url to its https address")
	case !sameServer(first, req.URL):
		return failure.New(ErrConfig, "the server redirects to another host%s, which is not followed; set source.url to the new address if it is right", quoteServer(req.URL.Host))
	}
	return nil
}

// sameServer reports whether two URLs are on the same server. The paths may differ, and https at
// its default port may replace http.
func sameServer(first, next *url.URL) bool {
	if !strings.EqualFold(first.Hostname(), next.Hostname()) || next.User != nil {
		return false
	}
	return portOf(first) == portOf(next) || first.Scheme == "http" && next.Scheme == "https" && portOf(next) == "443"
}

func portOf(u *url.URL) string {
	if u.Port() == "" && u.Scheme == "https" {
		return "443"
	}
	return cmp.Or(u.Port(), "80")
}

// guard limits the size of an answer. It converts a refusal to an error that says how to fix the
// problem.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		user, password, login := req.BasicAuth()
		var hidden secrets
		hidden.addLogin(user, password)
		words := plainText(resp)
		resp.Body.Close()
		return nil, statusError(resp, quoteServer(hidden.remove(words)), login)
	}
	limit := int64(maxPreamble)
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		limit = maxRefsBytes
		if kind := resp.Header.Get("Content-Type"); kind != "application/x-git-upload-pack-advertisement" {
			resp.Body.Close()
			return nil, failure.New(ErrConfig, "the server answered with %q, which does not come from a Git server; set source.url to the address for `git clone`", printable.Clip(kind, 80))
		}
	}
	body := &bounded{r: resp.Body, left: limit, what: "the server's answer"}
	if opened, ok := req.Context().Value(openedKey{}).(*opened); ok {
		opened.body = body
	}
	resp.Body = body
	return resp, nil
}

func statusError(resp *http.Response, message string, login bool) error {
	status := fmt.Sprintf("the server answered %d %s%s", resp.StatusCode, http.StatusText(resp.StatusCode), message)
	limited := resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != ""
	switch code := resp.StatusCode; {
	case limited || code >= 500 || code == http.StatusRequestTimeout:
		return failure.New(ErrUnavailable, "%s; the agent tries again at the next poll", status)
	case (code == http.StatusUnauthorized || code == http.StatusForbidden) && login:
		return failure.New(ErrCredentials, "%s; the login in source.auth is wrong, has expired or may not read this repository", status)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return failure.New(ErrCredentials, "%s; set source.auth.tokenFile or basicAuthFile", status)
	case code == http.StatusNotFound || code == http.StatusGone:
		return failure.New(ErrNotFound, "%s; there is no such repository, or the login in source.auth may not see it; check source.url", status)
	case code == http.StatusProxyAuthRequired:
		return failure.New(ErrConfig, "%s; set the proxy's login in HTTPS_PROXY", status)
	}
	return failure.New(ErrConfig, "%s; source.url is not the address of a Git repository", status)
}

// plainText returns the message for people in an error of the server, or "" if there is none.
func plainText(resp *http.Response) string {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		return ""
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
	return string(body)
}

// opened gives a request for a pack access to the body of its answer. The limit of the body is
// raised once it is known that the answer begins as a pack.
type opened struct{ body *bounded }

type openedKey struct{}

// httpSession adds a class to go-git's errors.
type httpSession struct{ transport.UploadPackSession }

func (s httpSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	refs, err := s.UploadPackSession.AdvertisedReferencesContext(ctx)
	return refs, httpError(err)
}

func (s httpSession) UploadPack(ctx context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	var answer opened
	resp, err := s.UploadPackSession.UploadPack(context.WithValue(ctx, openedKey{}, &answer), req)
	switch {
	case answer.body == nil:
	case err == nil:
		answer.body.left += maxAnswerBytes
	case answer.body.exceeded() != nil: // go-git's error contains only the text of this error
		err = answer.body.exceeded()
	}
	return resp, httpError(err)
}

// httpError adds an explanation to an error that neither the guard nor the redirect check has
// explained.
func httpError(err error) error {
	var wrapped *plumbing.UnexpectedError
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return ConnectionError(err)
}
