package control

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
)

// countsKey is that of a context's function which says whether the token still counts that its request bore.
type countsKey struct{}

// Counts reports whether the token of a request that a guard has let in still counts; ctx is the request's, or comes from it.
// What goes on for long asks again.
func Counts(ctx context.Context) bool {
	counts, ok := ctx.Value(countsKey{}).(func() bool)
	return ok && counts()
}

// whoKey is that of the name of the holder of the token that a request bore.
type whoKey struct{}

// Who is the name of the holder of the token that a request bore, by its context; "" when it has none.
func Who(ctx context.Context) string {
	name, _ := ctx.Value(whoKey{}).(string)
	return name
}

// Guard lets only those reach a handler that bear one of the tokens, read again for each request; see [Counts].
// refuse answers all others, and is not given anything that next knows.
func Guard(tokens func() ([]Token, error), log *slog.Logger, next http.Handler, refuse func(w http.ResponseWriter, code int)) (http.Handler, error) {
	door, err := New(Config{Tokens: tokens, Log: log})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		unread(w, r) // what is behind the guard takes none, or a short one
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
func (h *Holders) Counts(t Token) bool { return h.door.counts(t) }

func (h *Handler) counts(t Token) bool {
	list, ok := h.valid()
	return ok && slices.Contains(list, t)
}
