package source

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// secrets are values that must not appear in any text.
type secrets []string

// add adds a value in all encodings in which a text could contain it.
func (s *secrets) add(value string) {
	if value == "" {
		return
	}
	*s = append(*s, value, url.QueryEscape(value), url.PathEscape(value))
}

func (s *secrets) addLogin(user, password string) {
	if password == "" {
		return
	}
	s.add(password)
	*s = append(*s, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

func (s secrets) remove(text string) string {
	for _, value := range s {
		text = strings.ReplaceAll(text, value, "[hidden]")
	}
	return text
}

const maxSecretFile = 64 << 10

// readSecret reads a credential. Its errors name the file, but never contain its content.
func readSecret(field, file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", failure.New(ErrCredentials, "auth.%s: there is no file %s; write the credential into it, or correct the path", field, file)
	}
	if err != nil {
		return "", failure.New(ErrCredentials, "auth.%s: %s; make the file readable for this process", field, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return "", failure.New(ErrCredentials, "auth.%s: %s is not a regular file of at most %d bytes", field, file, maxSecretFile)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", failure.New(ErrCredentials, "auth.%s: %s; make the file readable for this process", field, err)
	}
	secret := strings.TrimSpace(string(content))
	if secret == "" {
		return "", failure.New(ErrCredentials, "auth.%s: %s is empty; write the credential into it", field, file)
	}
	return secret, nil
}

// renew replaces a refused token, and reports whether the new token is another one.
func (a Auth) renew(ctx context.Context) bool {
	if a.Token == nil || a.Renew == nil {
		return false
	}
	refused, err := a.Token(ctx)
	if err != nil {
		return false
	}
	a.Renew(refused)
	next, err := a.Token(ctx)
	return err == nil && next != refused
}

// login returns the user and password for https. Both are empty if there is no login.
func (a Auth) login(ctx context.Context, addr address) (user, password string, err error) {
	switch {
	case a.Token != nil:
		if password, err = a.Token(ctx); err != nil {
			return "", "", fmt.Errorf("getting a token: %w", err)
		}
		user = cmp.Or(a.Username, addr.user, "x-access-token")
	case a.TokenFile != "":
		password, err = readSecret("tokenFile", a.TokenFile)
		user = cmp.Or(a.Username, addr.user, "x-access-token")
	case a.BasicAuthFile != "":
		var both string
		if both, err = readSecret("basicAuthFile", a.BasicAuthFile); err != nil {
			return "", "", err
		}
		var ok bool
		if user, password, ok = strings.Cut(both, ":"); !ok || user == "" || password == "" {
			return "", "", failure.New(ErrCredentials, "auth.basicAuthFile: %s must contain user:password on one line", a.BasicAuthFile)
		}
	}
	if err == nil && strings.ContainsFunc(user+password, isControl) {
		return "", "", failure.New(ErrCredentials, "auth: the credential file contains a line break or another control character; it must be one line")
	}
	return user, password, err
}
