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

// maxWords is how much of a refusal is read: its first words are shown.
const maxWords = 1 << 20

// words are the beginning of a body.
type words struct {
	io.Reader
	io.Closer
}

// maxValues is how many values an answer may have: far more than a project's, and few
// enough to be taken apart in memory, where "0," is many times as large.
const maxValues = 6_000_000

// maxPromise is the length of an answer for which there is room before it comes.
const maxPromise = 8 << 20

// readWhole takes in the answer's body, so that one that breaks off is known
// while the request can still be repeated.
func readWhole(resp *http.Response) error {
	var whole bytes.Buffer
	if said := resp.ContentLength; said > 0 && said < maxPromise {
		whole.Grow(int(said) + bytes.MinRead)
	}
	_, err := whole.ReadFrom(resp.Body)
	_ = resp.Body.Close() // read to its end
	switch text := whole.Bytes(); {
	case err != nil:
		return err
	case bytes.Count(text, []byte{','})+bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) > maxValues:
		return fmt.Errorf("%w: more than %d values", outbound.ErrTooLarge, maxValues)
	case len(text) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") && !json.Valid(text):
		return errors.New("the answer is cut off")
	}
	resp.Body = inMemory(whole.Bytes(), nil)
	return nil
}

// wholeBody is a body that was read.
type wholeBody struct {
	*bytes.Reader
	text   []byte
	shared *decoded // what all who have the answer read of it; nil where nobody else has it
}

func inMemory(text []byte, shared *decoded) wholeBody {
	return wholeBody{bytes.NewReader(text), text, shared}
}

// Close implements [io.Closer].
func (wholeBody) Close() error { return nil }

// body ends the request's deadline with its answer.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
