package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// App is a GitHub App that is installed on a repository. It gets tokens that are valid for an hour.
// Its exported fields must not change once it is in use.
type App struct {
	AppID int64
	// InstallationID is the number of the installation. If it is 0, the App requests it for
	// Repository (owner/name).
	InstallationID int64
	Repository     string
	PrivateKeyFile string // in PEM format; the file is read at each use
	APIURL         string // "" means [GitHubAPI]
	// Base sends the requests; nil means [NewBase]. Observe is called with each request.
	Base    http.RoundTripper
	Observe func(Exchange)

	once      sync.Once
	transport *Transport
	setup     error

	mu    sync.Mutex
	token string
	ends  time.Time // when the token expires
	login string
	found int64 // the ID of the installation; 0 until it is requested

	permissions map[string]string // the permissions of the token
}

// GitHubAPI is the root URL of the API of github.com.
const GitHubAPI = "https://api.github.com"

const (
	// spare is the time before its expiry at which a token is replaced.
	spare = 5 * time.Minute
	// callsPerHour limits the requests that are sent as the App itself. It is far more than an App
	// needs, because a token is valid for an hour.
	callsPerHour = 120
)

// Token returns a token for the API and for Git over HTTPS (as the password of the user
// x-access-token). It returns the same token until five minutes before that token expires.
func (a *App) Token(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" && time.Until(a.ends) > spare {
		return a.token, nil
	}
	installation, err := a.installation(ctx)
	if err != nil {
		return "", err
	}
	var answer struct {
		Token   string    `json:"token"`
		Expires time.Time `json:"expires_at"`

		Permissions map[string]string `json:"permissions"`
	}
	if err := a.call(ctx, http.MethodPost, "app/installations/"+strconv.FormatInt(installation, 10)+"/access_tokens", &answer); err != nil {
		if errors.Is(err, ErrNotFound) {
			a.found = 0
			return "", fmt.Errorf("%w (is installationID %d an installation of this App?)", err, installation)
		}
		return "", err
	}
	if answer.Token == "" || answer.Expires.IsZero() {
		return "", fmt.Errorf("%w: %s: a token without text or end", ErrUnavailable, a)
	}
	a.token, a.ends, a.login, a.permissions = answer.Token, answer.Expires, "", answer.Permissions
	return a.token, nil
}

// Permissions returns the permissions of the installation by name. Each value is read, write or
// admin. GitHub reports them with each token.
func (a *App) Permissions(ctx context.Context) (map[string]string, error) {
	if _, err := a.Token(ctx); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.permissions, nil
}

// Forget removes a token that was refused, so that a new one is requested.
func (a *App) Forget(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == token {
		a.token = ""
	}
}

// Login returns the name under which the App comments. The name is requested again after each new
// token.
func (a *App) Login(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.login != "" {
		return a.login, nil
	}
	var answer struct {
		Slug string `json:"slug"`
	}
	if err := a.call(ctx, http.MethodGet, "app", &answer); err != nil {
		return "", err
	}
	if answer.Slug == "" {
		return "", fmt.Errorf("%w: %s: it has no name", ErrUnavailable, a)
	}
	a.login = answer.Slug + "[bot]"
	return a.login, nil
}

// Renamed stores the name that the App has in GitHub's answer to a new comment. An App can be
// renamed, and its old name can be given to another account.
func (a *App) Renamed(login string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.login = login
}

// String names the App in messages.
func (a *App) String() string { return fmt.Sprintf("GitHub App %d", a.AppID) }

// installation returns the number of the installation on the repository.
func (a *App) installation(ctx context.Context) (int64, error) {
	switch {
	case a.InstallationID != 0:
		return a.InstallationID, nil
	case a.found != 0:
		return a.found, nil
	case a.Repository == "":
		return 0, fmt.Errorf("%w: %s: neither installationID nor a repository is set, so the installation cannot be found", ErrRefused, a)
	}
	owner, name, _ := strings.Cut(a.Repository, "/")
	var answer struct {
		ID int64 `json:"id"`
	}
	err := a.call(ctx, http.MethodGet, "repos/"+url.PathEscape(owner)+"/"+url.PathEscape(name)+"/installation", &answer)
	if errors.Is(err, ErrNotFound) {
		return 0, fmt.Errorf("%w (is the App installed on %s?)", err, a.Repository)
	}
	a.found = answer.ID
	return answer.ID, err
}

// call sends a request as the App itself, not as an installation.
func (a *App) call(ctx context.Context, method, path string, answer any) error {
	a.once.Do(a.prepare)
	if a.setup != nil {
		return fmt.Errorf("%w: %s: %w", ErrRefused, a, a.setup)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.transport.config.URL.JoinPath(path).String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRefused, a, err)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	resp, err := a.transport.Client().Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", a, Class(err))
	}
	defer resp.Body.Close()
	body := new(bytes.Buffer)
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrUnavailable, a, err)
	}
	if err := Refusal(resp.StatusCode, explain(body.Bytes())); err != nil {
		if resp.StatusCode == http.StatusUnauthorized {
			return fmt.Errorf("%s: %w (is appID right, %s its private key, and this machine's clock correct?)", a, err, a.PrivateKeyFile)
		}
		return fmt.Errorf("%s: %w", a, err)
	}
	if err := json.Unmarshal(body.Bytes(), answer); err != nil {
		return fmt.Errorf("%w: %s: this is not an answer of GitHub: %w", ErrUnavailable, a, err)
	}
	return nil
}

func (a *App) prepare() {
	text := a.APIURL
	if text == "" {
		text = GitHubAPI
	}
	u, err := ParseAPI(text)
	if err != nil {
		a.setup = err
		return
	}
	a.transport = NewTransport(TransportConfig{
		URL: u, Base: a.Base, PerHour: callsPerHour, Observe: a.Observe, Words: []string{"access_tokens", "app", "installation", "installations", "repos"},
		Authorize: Authorize("Bearer", func(context.Context) (string, error) {
			jwt, err := a.jwt(time.Now())
			if err != nil {
				return "", fmt.Errorf("%w: %s: %w", ErrRefused, a, err)
			}
			return jwt, nil
		}),
	})
}

// ParseAPI parses the root URL of an API. The path of the result ends in a slash.
func ParseAPI(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("apiURL is not the URL of an API; one looks like https://git.acme.example/api/v3")
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}
