package forge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// read reads an answer's body into memory, up to a limit.
func read(resp *http.Response) error {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: the answer was interrupted: %w", ErrUnavailable, err)
	case len(body) > maxAnswer:
		return fmt.Errorf("%w: more than %d MiB", ErrTooBig, maxAnswer>>20)
	}
	fill(resp, body)
	return nil
}

func fill(resp *http.Response, body []byte) {
	resp.Body = &memory{Reader: bytes.NewReader(body), bytes: body}
	resp.ContentLength = int64(len(body))
}

// memory is the body of an answer that was already read into memory.
type memory struct {
	*bytes.Reader
	bytes []byte
}

// Close implements [io.Closer].
func (*memory) Close() error { return nil }

func bytesOf(resp *http.Response) []byte {
	if m, ok := resp.Body.(*memory); ok {
		return m.bytes
	}
	return nil
}

// hide removes the credentials from the answer to a failed request, because people will read it.
func hide(resp *http.Response, authorization string) {
	_, secret, _ := strings.Cut(authorization, " ")
	if resp.StatusCode < 400 || len(secret) < 4 {
		return
	}
	fill(resp, bytes.ReplaceAll(bytesOf(resp), []byte(secret), []byte("[redacted]")))
}

// Refusal returns the error for an answer with this status code and message. It returns nil for
// codes below 300.
func Refusal(code int, message string) error {
	var class error
	switch {
	case code < 300:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		class = ErrNotFound
	case code == http.StatusRequestTimeout || code == http.StatusConflict || code == http.StatusTooEarly || code == http.StatusLocked || code >= 500:
		class = ErrUnavailable
	default:
		class = ErrRefused
	}
	if message = brief(message); message == "" {
		message = http.StatusText(code)
	}
	return fmt.Errorf("%w: %d: %s", class, code, message)
}

// brief shortens a text of the forge to one line.
func brief(text string) string {
	return printable.Shorten(strings.Join(strings.Fields(text), " "), 300)
}

// Class makes err one of the errors that [Forge] promises. Any other error means that the forge
// gave no answer, so it becomes ErrUnavailable.
func Class(err error) error {
	var limited *LimitedError
	switch {
	case err == nil, errors.As(err, &limited),
		errors.Is(err, ErrRefused), errors.Is(err, ErrNotFound), errors.Is(err, ErrUnavailable), errors.Is(err, ErrUnsupported):
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
