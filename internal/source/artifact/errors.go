package artifact

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

const maxErrorText = 500 // bytes

// missing returns an [failure.ErrNotFound] if err says that something does not exist, and otherwise err itself.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, errdef.ErrNotFound) {
		return failure.New(failure.ErrNotFound, format, args...)
	}
	return err
}

// finish gives err a class, and puts the address before its text. parent is the context of the caller; nil if no request was sent.
func (a *Artifact) finish(ctx, parent context.Context, err error) error {
	if parent != nil && ctx.Err() != nil && parent.Err() == nil {
		err = failure.New(failure.ErrUnavailable, "%s; the agent tries again at the next poll", context.Cause(ctx))
	}
	f := &failure.Error{Class: failure.ErrUnavailable}
	var known *failure.Error
	if err = explain(err); errors.As(err, &known) {
		f.Class, f.Text, f.Public = known.Class, known.Text, known.Public
	} else {
		f.Text = failure.WithoutAddresses(withoutRequest(err).Error(), maxErrorText)
	}
	if parent != nil && parent.Err() != nil {
		f.Class, f.Public, f.Ended = failure.ErrUnavailable, "", parent.Err()
	}
	f.Text = a.at.text + ": " + printable.Line(f.Text)
	return f
}

// explain gives a class to an error of the client. The text never has a message of the server, because a server could
// repeat a credential in it.
func explain(err error) error {
	var (
		known  *failure.Error
		answer *errcode.ErrorResponse
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &answer):
		return statusError(answer.StatusCode, codes(answer.Errors))
	case errors.Is(err, errdef.ErrNotFound):
		return failure.New(failure.ErrNotFound, "the registry does not have it, or the login in source.auth may not see it; check source.url")
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return failure.New(failure.ErrCredentials, "the registry asks for a login; set source.auth")
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData):
		return failure.New(failure.ErrContent, "the registry sends other bytes than those of the digest; nothing of them is used")
	case errors.Is(err, outbound.ErrTooLarge):
		return failure.New(failure.ErrContent, "the server sends more than %d MiB; pack only the manifests", maxArchive>>20)
	}
	return source.ConnectionError(err)
}

// statusError returns the error for an answer. said is added to the status.
func statusError(code int, said string) error {
	status := fmt.Sprintf("the server answered %d %s%s", code, http.StatusText(code), said)
	switch {
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= http.StatusInternalServerError:
		return failure.New(failure.ErrUnavailable, "%s; the agent tries again at the next poll", status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return failure.New(failure.ErrCredentials, "%s; the login in source.auth is missing, is wrong, or may not read this", status)
	case code == http.StatusNotFound, code == http.StatusGone:
		return failure.New(failure.ErrNotFound, "%s; there is no such artifact, or the login in source.auth may not see it; check source.url", status)
	}
	return failure.New(failure.ErrConfig, "%s; source.url does not lead to an artifact", status)
}

var codeForm = pattern.Of(`^[A-Z_]{1,40}$`)

// codes returns the error codes of a registry in brackets; "" if there are none.
func codes(list errcode.Errors) string {
	var known []string
	for _, e := range list {
		if codeForm.MatchString(e.Code) {
			known = append(known, e.Code)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return " (" + strings.Join(known[:min(len(known), 3)], ", ") + ")"
}

// withoutRequest returns the error of a connection without the request that failed.
func withoutRequest(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
