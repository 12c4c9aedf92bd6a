package gerrit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// guard is the beginning of each JSON answer of Gerrit. It prevents that a web page runs the answer
// as a script.
const guard = ")]}'"

// send sends a request; in and out are JSON, or nil.
func (r *Repository) send(ctx context.Context, what, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		sent, err := json.Marshal(in)
		if err != nil {
			return r.refuse(what, fmt.Errorf("%w: %w", forge.ErrRefused, err))
		}
		body = bytes.NewReader(sent)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.site+"/a/"+path, body)
	if err != nil {
		return r.refuse(what, fmt.Errorf("%w: %w", forge.ErrRefused, err))
	}
	req.Header.Set("User-Agent", "stackreeve")
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	}
	resp, err := r.client.Do(req)
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // the request is already named in words
	}
	if err != nil {
		return r.refuse(what, forge.Class(err))
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return r.refuse(what, forge.Class(err))
	case resp.StatusCode >= 300:
		return r.refuse(what, forge.Refusal(resp.StatusCode, string(answer)+hint(resp.StatusCode)))
	case out == nil:
		return nil
	}
	answer, guarded := bytes.CutPrefix(answer, []byte(guard))
	if !guarded { // a successful answer that cannot be read comes from a proxy
		return r.refuse(what, fmt.Errorf("%w: the answer is not Gerrit's", forge.ErrUnavailable))
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return r.refuse(what, fmt.Errorf("%w: %w", forge.ErrUnavailable, err))
	}
	return nil
}

// changePath returns the path of a change of this project. Gerrit does not find changes of other
// projects by this path.
func (r *Repository) changePath(number int) string {
	return fmt.Sprintf("changes/%s~%d", url.PathEscape(r.project), number)
}

func (r *Repository) projectPath() string { return "projects/" + url.PathEscape(r.project) }

func (r *Repository) refuse(what string, err error) error {
	return fmt.Errorf("gerrit: %s: %s: %w", r, what, err)
}

// hint says what a person can do about a refusal.
func hint(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return " (is the HTTP password right?)"
	case http.StatusForbidden:
		return " (does the account lack a right, or the capability View Access?)"
	case http.StatusNotFound:
		return " (or the account may not see it)"
	}
	return ""
}
