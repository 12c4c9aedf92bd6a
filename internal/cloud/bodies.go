package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// maxWords is how many bytes of an error's body are read; its first words are shown.
const maxWords = 1 << 20

// words is a body of which only the first bytes can be read.
type words struct {
	io.Reader
	io.Closer
}

// maxValues is how many values an answer may have. No project needs so many. Many short
// values such as "0," take much more memory decoded than as text.
const maxValues = 6_000_000

// maxPromise is the largest Content-Length for which memory is allocated before the body is read.
const maxPromise = 8 << 20

// readWhole reads the whole body of the answer, so that a truncated answer is noticed while the
// request can still be repeated.
func readWhole(resp *http.Response) error {
	var whole bytes.Buffer
	said := resp.ContentLength
	if said < 0 && resp.Request != nil {
		said, _ = resp.Request.Context().Value(likelySize{}).(int64)
	}
	if said > 0 && said < maxPromise {
		whole.Grow(int(said) + bytes.MinRead)
	}
	_, err := whole.ReadFrom(resp.Body)
	_ = resp.Body.Close() // nothing more of the body is needed
	switch text := whole.Bytes(); {
	case err != nil:
		return err
	case bytes.Count(text, []byte{','})+bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) > maxValues:
		return fmt.Errorf("%w: more than %d values", outbound.ErrTooLarge, maxValues)
	case len(text) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") && !isWhole(text):
		return errors.New("the answer is cut off")
	}
	resp.Body = inMemory(whole.Bytes(), nil)
	return nil
}

// likelySize is the key of a context whose value is the size in bytes that an answer will probably have.
type likelySize struct{}

// maxValidated is the size of the largest answer that is checked in full before it is used.
const maxValidated = 64 << 10

// isWhole reports whether a JSON text is not cut off. In a large text, it only checks that all brackets and strings end. Its values are
// checked when they are decoded, which takes most of the time of a large list.
func isWhole(text []byte) bool {
	if len(text) <= maxValidated {
		return json.Valid(text)
	}
	s := splitter{text: text}
	_, err := s.value()
	s.space()
	return err == nil && s.at == len(text)
}

// wholeBody is a body that was read to its end.
type wholeBody struct {
	*bytes.Reader
	text   []byte
	shared *decoded // the decoded answer, for all clients that share it; nil if only one client reads it
}

func inMemory(text []byte, shared *decoded) wholeBody {
	return wholeBody{bytes.NewReader(text), text, shared}
}

// Close implements [io.Closer].
func (wholeBody) Close() error { return nil }

// body is the body of an answer. When it is closed, the deadline of the request ends, too.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
