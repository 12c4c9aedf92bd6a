package secretstore

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
)

// VaultConfig says how a secrets engine of Vault or OpenBao (KV version 2) is reached.
type VaultConfig struct {
	Address   string // such as https://vault.example.com:8200
	Namespace string // "" if there is none
	Mount     string // the path of the secrets engine
	Prefix    string // the path below which all secrets are; "" for the whole engine
	Trust     *tls.Config
	// Token reads a token. It is nil if Login is set.
	Token func() (string, error)
	// Login returns the body of a login at the auth method whose path is LoginMount.
	Login      func() (map[string]string, error)
	LoginMount string
}

// Vault is a secrets engine of Vault. It can be used by several goroutines.
//
// Four requests are enough, so the package does not need Vault's own client: the login, the check of a token, the versions of a secret, and
// the secret.
type Vault struct {
	config VaultConfig
	client *http.Client

	login chan struct{} // has an element while a goroutine uses the next fields
	token string        // of the last login
	until time.Time     // the token is used until this time
}

const (
	vaultTime   = 10 * time.Second // for one request
	vaultAnswer = 1 << 20          // the largest answer, in bytes
)

// NewVault returns a secrets engine of Vault.
func NewVault(c VaultConfig) (*Vault, error) {
	at, err := url.Parse(c.Address)
	if err != nil || at.Host == "" {
		return nil, errors.New("the address of Vault is no URL")
	}
	client := outbound.Client(outbound.New(outbound.Config{TLS: c.Trust, MaxAnswer: vaultAnswer, Home: []string{at.Hostname()}, HeaderTime: vaultTime}), vaultTime)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a token is sent only to the configured address
	return &Vault{config: c, client: client, login: make(chan struct{}, 1)}, nil
}

// Read implements [Store].
func (v *Vault) Read(ctx context.Context, at Place, known *Secret) (*Secret, error) {
	if known != nil {
		if version, err := v.version(ctx, at); err == nil && version == known.Version {
			return known, nil
		} else if errors.Is(err, ErrDown) || errors.Is(err, ErrMissing) {
			return nil, err
		} // otherwise the policy may allow to read the secret, and not its versions
	}
	var answer struct {
		Data struct {
			Data     map[string]json.RawMessage `json:"data"`
			Metadata struct {
				Version int    `json:"version"`
				Created string `json:"created_time"`
			} `json:"metadata"`
		} `json:"data"`
	}
	query := ""
	if at.Version > 0 {
		query = "?version=" + strconv.Itoa(at.Version)
	}
	if err := v.get(ctx, v.path("data", at)+query, &answer); err != nil {
		return nil, err
	}
	if answer.Data.Data == nil {
		return nil, ErrMissing // the version was deleted
	}
	s := &Secret{Version: versionText(answer.Data.Metadata.Version, answer.Data.Metadata.Created), Fields: make(map[string]string, len(answer.Data.Data))}
	for name, raw := range answer.Data.Data {
		text := ""
		if string(raw) == "null" {
			continue // a field without a value is no empty value
		}
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw) // numbers, and whole structures in JSON
		}
		s.Fields[name] = text
	}
	return s, nil
}

// versionText identifies a version. If a secret is deleted with all its versions and written again, the numbers begin again.
func versionText(number int, created string) string { return strconv.Itoa(number) + " " + created }

// version returns the version that a place has now.
func (v *Vault) version(ctx context.Context, at Place) (string, error) {
	var answer struct {
		Data struct {
			Current  int `json:"current_version"`
			Versions map[string]struct {
				Created   string `json:"created_time"`
				Deleted   string `json:"deletion_time"`
				Destroyed bool   `json:"destroyed"`
			} `json:"versions"`
		} `json:"data"`
	}
	if err := v.get(ctx, v.path("metadata", at), &answer); err != nil {
		return "", err
	}
	number := at.Version
	if number == 0 {
		number = answer.Data.Current
	}
	one, exists := answer.Data.Versions[strconv.Itoa(number)]
	if !exists || one.Destroyed || one.Deleted != "" {
		return "", nil // reading the secret says why
	}
	return versionText(number, one.Created), nil
}

func (v *Vault) path(what string, at Place) string {
	parts := strings.Split(path.Join(v.config.Mount, what, v.config.Prefix, at.Path), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// get reads a path. If the token was revoked, it logs in again and tries once more. A path that is not allowed causes no login.
func (v *Vault) get(ctx context.Context, below string, into any) error {
	token, fresh, err := v.session(ctx, "")
	if err != nil {
		return err
	}
	code, err := v.ask(ctx, token, http.MethodGet, below, nil, into)
	if code == http.StatusForbidden && !fresh && v.revoked(ctx, token) {
		if token, _, err = v.session(ctx, token); err != nil {
			return err
		}
		_, err = v.ask(ctx, token, http.MethodGet, below, nil, into)
	}
	return err
}

// revoked reports whether Vault no longer accepts a token.
func (v *Vault) revoked(ctx context.Context, token string) bool {
	code, _ := v.ask(ctx, token, http.MethodGet, "auth/token/lookup-self", nil, new(struct{}))
	return code == http.StatusForbidden
}

// session returns a token other than the refused one. fresh is true if it was made or read now. The token of a file is read again each time.
func (v *Vault) session(ctx context.Context, refused string) (token string, fresh bool, err error) {
	if v.config.Token != nil {
		text, err := v.config.Token()
		return strings.TrimSpace(text), true, hide("the token cannot be read", err)
	}
	select {
	case v.login <- struct{}{}:
		defer func() { <-v.login }()
	case <-ctx.Done():
		return "", false, hide("does not answer", ctx.Err())
	}
	if v.token != "" && v.token != refused && time.Now().Before(v.until) {
		return v.token, false, nil
	}
	err = v.logIn(ctx)
	return v.token, true, err
}

// logIn gets a token.
func (v *Vault) logIn(ctx context.Context) error {
	body, err := v.config.Login()
	if err != nil {
		return hide("the credentials of the login cannot be read", err)
	}
	var answer struct {
		Auth struct {
			Token string `json:"client_token"`
			Lease int    `json:"lease_duration"` // in seconds
		} `json:"auth"`
	}
	v.token = ""
	code, err := v.ask(ctx, "", http.MethodPost, path.Join("auth", v.config.LoginMount, "login"), body, &answer)
	switch {
	case err != nil && !errors.Is(err, ErrDown), err == nil && answer.Auth.Token == "":
		return hide("the login is refused", fmt.Errorf("code %d", code))
	case err != nil:
		return err
	}
	lease := time.Duration(min(max(answer.Auth.Lease, 0), 1<<20)) * time.Second
	v.token, v.until = answer.Auth.Token, time.Now().Add(lease*2/3)
	return nil
}

// hide returns the error that the store cannot be read. Everybody may see the text public. It returns nil if err is nil.
func hide(public string, err error) error {
	if err == nil {
		return nil
	}
	return private.Hide(public, fmt.Errorf("%w: %s: %w", ErrDown, public, err))
}
