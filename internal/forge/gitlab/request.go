package gitlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
)

const (
	// pageSize is the largest page of GitLab. smallPage is a page that stays below the limit of an
	// answer, however long its texts are. GitLab accepts a million characters in a comment or a
	// description, and some of them take six bytes.
	pageSize  = 100
	smallPage = 5
	// maxListed limits the entries of every list.
	maxListed = 10_000
)

// call sends a request about the project.
func (r *Repository) call(ctx context.Context, what, method, path string, in, out any) error {
	root, err := r.root(ctx)
	if err != nil {
		return err
	}
	_, err = r.send(ctx, what, method, root+path, in, out)
	return err
}

// send sends a request; in and out are JSON, or nil.
func (r *Repository) send(ctx context.Context, what, method, path string, in, out any) (http.Header, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, r.refused(what, fmt.Errorf("%w: %w", forge.ErrRefused, err))
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.api+path, body)
	if err != nil {
		return nil, r.refused(what, fmt.Errorf("%w: %w", forge.ErrRefused, err))
	}
	req.Header.Set("User-Agent", "stackreeve")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.client.Do(req)
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // the request is already named in words
	}
	if err != nil {
		return nil, r.refused(what, forge.Class(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, r.refused(what, forge.Class(err))
	case resp.StatusCode >= 300:
		return nil, r.refused(what, &answer{resp.StatusCode, message(text), forge.Refusal(resp.StatusCode, message(text)+hint(resp.StatusCode))})
	case out == nil:
		return resp.Header, nil
	}
	if err := json.Unmarshal(text, out); err != nil { // a successful answer that cannot be read comes from a proxy
		return nil, r.refused(what, fmt.Errorf("%w: %w", forge.ErrUnavailable, err))
	}
	return resp.Header, nil
}

// list reads a list of the project, page by page, and passes each page to take until take returns
// an error. If the texts of a page are too long, it reads smaller pages.
func list[T any](ctx context.Context, r *Repository, what, path string, query url.Values, take func([]T) error) error {
	root, err := r.root(ctx)
	if err != nil {
		return err
	}
	size := pageSize
	for done := 0; done < maxListed; {
		query.Set("per_page", strconv.Itoa(size))
		query.Set("page", strconv.Itoa(done/size+1))
		var page []T
		header, err := r.send(ctx, what, http.MethodGet, root+path+"?"+query.Encode(), nil, &page)
		if errors.Is(err, forge.ErrTooBig) && size > smallPage {
			size = smallPage
			continue
		}
		if err != nil {
			return err
		}
		if err := take(page[:min(len(page), size)]); err != nil {
			return r.refused(what, err)
		}
		if done += size; !more(header, len(page), size) {
			return nil
		}
		if done%pageSize == 0 {
			size = pageSize
		}
	}
	return r.refused(what, fmt.Errorf("%w: more than %d", forge.ErrTooMany, maxListed))
}

// more reports whether another page follows a page of got entries.
func more(header http.Header, got, size int) bool {
	if link := header.Get("Link"); link != "" {
		return strings.Contains(link, `rel="next"`)
	}
	return got >= size
}

// answer is a refusal, with the data that decides how to handle it.
type answer struct {
	code    int
	message string
	class   error
}

// Error implements error.
func (a *answer) Error() string { return a.class.Error() }

// Unwrap returns one of the classes of package forge.
func (a *answer) Unwrap() error { return a.class }

// message is the text for people in an answer: a string, or lists of strings by field.
func message(body []byte) string {
	var said struct {
		Message, Error json.RawMessage
	}
	if json.Unmarshal(body, &said) != nil {
		return string(body)
	}
	for _, one := range []json.RawMessage{said.Message, said.Error} {
		var text string
		if json.Unmarshal(one, &text) == nil && text != "" {
			return text
		}
		if len(one) > 0 && string(one) != "null" {
			return string(one)
		}
	}
	return ""
}

func (r *Repository) refused(what string, err error) error {
	return fmt.Errorf("gitlab: %s: %s: %w", r, what, err)
}

// hint says what a person can do about a refusal.
func hint(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return " (is the token right, and not expired?)"
	case http.StatusForbidden:
		return " (does the token have the scope api, and its user the role Developer?)"
	case http.StatusNotFound:
		return " (or the token's user may not see it)"
	}
	return ""
}
