package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

const (
	// ShortToken is the minimum length of a token.
	ShortToken  = 32
	longToken   = 512
	maxTokens   = 64
	makeToken   = "create a token with `openssl rand -hex 32`"
	maxNameSize = 64
)

// Token gives its holder access. Only its digest is stored.
type Token struct {
	Name   string // the name of its holder; "" if unknown
	digest [sha256.Size]byte
}

var nameForm = pattern.Of(`^[A-Za-z0-9][-A-Za-z0-9_.@]*$`)

// Tokens reads the tokens of a file, one per line. The name of the holder may precede the token: "alice 3f2a…".
// Errors do not contain the line.
func Tokens(file string) (list []Token, err error) {
	lines, err := lines(file)
	for _, l := range lines {
		list = append(list, Token{l.name, sha256.Sum256([]byte(l.token))})
	}
	return list, err
}

// tokenOf returns the first token of a file.
func tokenOf(file string) (string, error) {
	lines, err := lines(file)
	if err != nil {
		return "", err
	}
	return lines[0].token, nil
}

type line struct{ name, token string }

// lines returns the lines of a file of tokens, at least one.
func lines(file string) (list []line, err error) {
	text, err := localfile.Read(file, localfile.Secret)
	if err != nil {
		return nil, fmt.Errorf("read the control token: %w", err)
	}
	for i, row := range strings.Split(string(text), "\n") {
		words := strings.Fields(row)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		one, what := parse(words)
		if what == "" && len(list) == maxTokens {
			what = fmt.Sprintf("more than %d tokens", maxTokens)
		}
		if what != "" {
			return nil, fmt.Errorf("%s:%d: %s", file, i+1, what)
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s contains no token; %s", file, makeToken)
	}
	return list, nil
}

// parse parses a line, and returns the mistake in it, or "".
func parse(words []string) (l line, what string) {
	l.token = words[len(words)-1]
	if len(words) == 2 {
		l.name = words[0]
	}
	switch {
	case len(words) > 2:
		return l, "has more than a name and a token"
	case l.name != "" && (!nameForm.MatchString(l.name) || len(l.name) > maxNameSize):
		return l, fmt.Sprintf("the name before the token can have at most %d letters, digits and .-_@, and begins with a letter or digit", maxNameSize)
	case len(l.token) < ShortToken:
		return l, fmt.Sprintf("the token is shorter than %d characters and could be guessed; %s", ShortToken, makeToken)
	case len(l.token) > longToken:
		return l, fmt.Sprintf("the token is longer than %d characters", longToken)
	}
	return l, ""
}

// bearer returns the token in a header. ok is false if there is none, or if it cannot be valid.
func bearer(h http.Header) (token string, ok bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && len(token) >= ShortToken && len(token) <= longToken
}

// holder returns the holder of a token. Its duration does not depend on the token.
func holder(list []Token, token string) (who Token, ok bool) {
	sum := sha256.Sum256([]byte(token))
	for _, t := range list {
		if subtle.ConstantTimeCompare(sum[:], t.digest[:]) == 1 {
			who, ok = t, true
		}
	}
	return who, ok
}
