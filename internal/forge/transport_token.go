package forge

import (
	"context"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// FileToken returns a function that reads the token from a file at each call. So a new token needs
// no restart.
func FileToken(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		text, err := localfile.Read(path, localfile.Secret)
		if err != nil {
			return "", fmt.Errorf("%w: token: %w", ErrRefused, err)
		}
		token := strings.TrimSpace(string(text))
		if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", fmt.Errorf("%w: token: %s holds none; write the token into it, alone", ErrRefused, path)
		}
		return token, nil
	}
}

// Authorize returns a function for [TransportConfig] that makes the header of a token. scheme is
// the forge's name of the scheme, Bearer or token.
func Authorize(scheme string, token func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := token(ctx)
		if err != nil {
			return "", err
		}
		return scheme + " " + text, nil
	}
}
