package control

import (
	"log/slog"
	"net/http"
	"slices"
)

// Guard lets only those reach a handler that bear one of the tokens, read again for each request.
// refuse answers all others, and is not given anything that next knows.
func Guard(tokens func() ([]Token, error), log *slog.Logger, next http.Handler, refuse func(w http.ResponseWriter, code int)) (http.Handler, error) {
	door, err := New(Config{Tokens: tokens, Log: log})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		unread(w, r) // what is behind the guard takes none, or a short one
		if _, code := door.admit(r); code != 0 {
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			refuse(w, code)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// TokenOf is the first token of a file.
func TokenOf(file string) (string, error) { return tokenOf(file) }

// Holders says who bears a token, for those who remember it.
type Holders struct{ door *Handler }

// NewHolders knows the tokens, read again each time.
func NewHolders(tokens func() ([]Token, error), log *slog.Logger) (*Holders, error) {
	door, err := New(Config{Tokens: tokens, Log: log})
	if err != nil {
		return nil, err
	}
	return &Holders{door}, nil
}

// Of is the token that a request bears, or the status with which it is turned away.
func (h *Holders) Of(r *http.Request) (Token, int) { return h.door.token(r) }

// Counts reports whether a token that counted once still does.
func (h *Holders) Counts(t Token) bool {
	list, ok := h.door.valid()
	return ok && slices.Contains(list, t)
}
