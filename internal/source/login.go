package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

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
	default:
		user, password, err = ReadLogin(cmp.Or(a.Username, addr.user, "x-access-token"), a.TokenFile, a.BasicAuthFile)
	}
	if err == nil && strings.ContainsFunc(user+password, isControl) {
		return "", "", failure.New(ErrCredentials, "auth: the credential file contains a line break or another control character; it must be one line")
	}
	return user, password, err
}

// ReadLogin reads a login from one of two files: the first has a token of the user, the second has user:password. It returns no login if
// both names are empty.
func ReadLogin(tokenUser, tokenFile, basicAuthFile string) (user, password string, err error) {
	switch {
	case tokenFile != "":
		password, err = ReadSecret("tokenFile", tokenFile)
		return tokenUser, password, err
	case basicAuthFile == "":
		return "", "", nil
	}
	both, err := ReadSecret("basicAuthFile", basicAuthFile)
	if err != nil {
		return "", "", err
	}
	user, password, ok := strings.Cut(both, ":")
	if !ok || user == "" || password == "" {
		return "", "", failure.New(ErrCredentials, "auth.basicAuthFile: %s must contain user:password on one line", basicAuthFile)
	}
	return user, password, nil
}

// ReadSecret reads a credential from the file that a field names. Its errors name the file, but never contain its content.
func ReadSecret(field, file string) (string, error) {
	content, err := localfile.Read(file, localfile.Secret)
	secret := strings.TrimSpace(string(content))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", failure.New(ErrCredentials, "auth.%s: there is no file %s; write the credential into it, or correct the path", field, file)
	case err != nil:
		return "", failure.New(ErrCredentials, "auth.%s: %s; make it a file that this process can read", field, err)
	case secret == "":
		return "", failure.New(ErrCredentials, "auth.%s: %s is empty; write the credential into it", field, file)
	}
	return secret, nil
}
