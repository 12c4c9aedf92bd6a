package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// fail adds the attempted action to an error, and makes it one of the errors that [forge.Forge]
// promises; nil for nil.
//
//	no answer, not JSON, 5xx, 409, 423    ErrUnavailable
//	401, 403, 422, 400, other redirects   ErrRefused
//	404, 410                              ErrNotFound
//	limits of the transport               LimitedError
func (r *Repository) fail(what string, resp *sdk.Response, err error) error {
	if err == nil {
		return nil
	}
	if resp == nil || resp.Response == nil {
		return r.refused(what, forge.Class(err))
	}
	return r.answered(what, resp.StatusCode, err)
}

// answered does the same as fail, for an answer of which only the code is known.
func (r *Repository) answered(what string, code int, err error) error {
	if code < 300 { // a successful answer that cannot be read comes from a proxy
		return r.refused(what, fmt.Errorf("%w: %w", forge.ErrUnavailable, err))
	}
	return r.refused(what, forge.Refusal(code, err.Error()+hint(code)))
}

func (r *Repository) refused(what string, err error) error {
	return fmt.Errorf("gitea: %s: %s: %w", r, what, err)
}

// hint says what a person can do about a refusal.
func hint(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return " (is the token right, and not expired?)"
	case http.StatusForbidden:
		return " (does the token have the scope, and its user the permission?)"
	case http.StatusNotFound:
		return " (or the token's user may not see it)"
	}
	return ""
}

// orMissing replaces an internal error of Gitea by ErrNotFound if the object of the request does
// not exist. The function exists checks that.
func orMissing(ctx context.Context, err error, exists func(context.Context) error) error {
	if !errors.Is(err, forge.ErrUnavailable) {
		return err
	}
	if missing := exists(ctx); errors.Is(missing, forge.ErrNotFound) {
		return missing
	}
	return err
}
