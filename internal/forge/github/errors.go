package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// fail adds the attempted action to an error, and makes it one of the errors that [forge.Forge]
// promises; nil for nil.
//
//	no answer, not JSON, 5xx, 202           ErrUnavailable
//	401, 403, 422, 400, other redirects     ErrRefused
//	404, 410                                ErrNotFound
//	limits of the transport and go-github   LimitedError
func (r *Repository) fail(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("github: %s: %s: %w", r, what, classify(err))
}

func classify(err error) error {
	var (
		refused  *github.ErrorResponse
		limited  *forge.LimitedError
		primary  *github.RateLimitError
		accepted *github.AcceptedError
		sent     *url.Error
	)
	if errors.As(err, &sent) {
		err = sent.Err // the request is already named in words
	}
	switch {
	case errors.As(err, &limited):
		return limited
	case errors.Is(err, forge.ErrNotFound):
		return err
	case errors.As(err, &primary):
		return &forge.LimitedError{Until: primary.Rate.Reset.Time, Reason: primary.Message}
	case errors.As(err, &accepted):
		return fmt.Errorf("%w: GitHub has not computed the result yet", forge.ErrUnavailable)
	case errors.As(err, &refused) && refused.Response != nil:
		return forge.Refusal(refused.Response.StatusCode, words422(refused)+hint(refused.Response.StatusCode))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", forge.ErrUnavailable, err)
	}
	return forge.Class(err)
}

// words422 returns GitHub's message. If GitHub cannot process the request (422), the reasons
// follow.
func words422(e *github.ErrorResponse) string {
	text := e.Message
	for _, one := range e.Errors {
		switch {
		case one.Message != "":
			text += "; " + one.Message
		case one.Field != "":
			text += "; " + one.Field + " is " + one.Code
		}
	}
	return text
}

// hint says what a person can do about a refusal.
func hint(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return " (is the token right, and not expired?)"
	case http.StatusForbidden:
		return " (does the token, or the App, have the permission?)"
	case http.StatusNotFound:
		return " (or the token, or the App, may not see it)"
	}
	return ""
}

// code returns the status code of an answer that was an error; 0 for any other error.
func code(err error) int {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}
