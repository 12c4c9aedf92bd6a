package control

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
)

// countsKey is the context key of a function. The function reports whether the token of the request is still valid.
type countsKey struct{}

// Counts reports whether the token of a request that a guard has admitted is still valid. ctx comes from the request.
// Long requests call it repeatedly.
func Counts(ctx context.Context) bool {
	counts, ok := ctx.Value(countsKey{}).(func() bool)
	return ok && counts()
}

// whoKey is the context key of the name of the token's holder.
type whoKey struct{}

// Holder returns the name of the holder of the request's token, from the context of the request. It returns "" if the
// token has no name.
func Holder(ctx context.Context) string {
	name, _ := ctx.Value(whoKey{}).(string)
	return name
}

// Guard admits only requests with one of the tokens, which are read again for each request; see [Counts]. refuse
// answers all other requests, and gets no information from next.
func Guard(tokens func() ([]Token, error), log *slog.Logger, next http.Handler, refuse func(w http.ResponseWriter, code int)) (http.Handler, error) {
	door, err := New(Config{Tokens: tokens, Log: log})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		unread(w, r) // the handlers behind the guard read no body or only a short one
		token, code := door.token(r)
		if code != 0 {
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			refuse(w, code)
			return
		}
		counts := func() bool { return door.counts(token) }
		ctx := context.WithValue(context.WithValue(r.Context(), countsKey{}, counts), whoKey{}, token.Name)
		next.ServeHTTP(w, r.WithContext(ctx))
	}), nil
}

// TokenOf returns the first token of a file.
func TokenOf(file string) (string, error) { return tokenOf(file) }

// Holders identifies the holders of tokens, for callers that store sessions.
type Holders struct{ door *Handler }

// NewHolders returns the holders of the tokens, which are read again each time.
func NewHolders(tokens func() ([]Token, error), log *slog.Logger) (*Holders, error) {
	door, err := New(Config{Tokens: tokens, Log: log})
	if err != nil {
		return nil, err
	}
	return &Holders{door}, nil
}

// Of returns the token of a request. If the request is refused, it returns the status for the answer.
func (h *Holders) Of(r *http.Request) (Token, int) { return h.door.token(r) }

// Counts reports whether a token that was valid is still valid.
func (h *Holders) Counts(t Token) bool { return h.door.counts(t) }

func (h *Handler) counts(t Token) bool {
	list, ok := h.valid()
	return ok && slices.Contains(list, t)
}
