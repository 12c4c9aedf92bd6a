package forge

import (
	"context"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// FileToken returns the token in a file, read at each use: anyone who rotates it
// needs to restart nothing.
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

// Authorize makes what a [Transport] asks for of a token: scheme is what the
// forge calls it, Bearer or token.
func Authorize(scheme string, token func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := token(ctx)
		if err != nil {
			return "", err
		}
		return scheme + " " + text, nil
	}
}
