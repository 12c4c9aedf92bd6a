package gitea

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

const (
	agent = "stackreeve"
	// pageSize is the page size that Gitea allows by default (MAX_RESPONSE_ITEMS).
	pageSize = 50
	// maxPages limits the pages that are read of every list.
	maxPages = 200
)

// get sends a request for a path below the repository, for which the SDK has no method.
func (r *Repository) get(ctx context.Context, what, path string, query url.Values, out any) (http.Header, error) {
	at := fmt.Sprintf("%s/api/v1/repos/%s/%s/%s?%s", r.url, r.owner, r.name, path, query.Encode())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, r.refused(what, fmt.Errorf("%w: %w", forge.ErrRefused, err))
	}
	req.Header.Set("User-Agent", agent)
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, r.refused(what, forge.Class(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, r.refused(what, forge.Class(err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, r.answered(what, resp.StatusCode, errors.New(message(body)))
	}
	if err := json.Unmarshal(body, out); err != nil {
		return nil, r.answered(what, resp.StatusCode, err)
	}
	return resp.Header, nil
}

// message returns the text for people in an answer.
func message(body []byte) string {
	var said struct{ Message string }
	if err := json.Unmarshal(body, &said); err == nil {
		return said.Message
	}
	return string(body)
}

// pages calls page with the page numbers 1, 2, … until page reports that there are no more.
func pages(page func(options sdk.ListOptions) (more bool, err error)) error {
	for n := 1; n <= maxPages; n++ {
		more, err := page(sdk.ListOptions{Page: n, PageSize: pageSize})
		if err != nil || !more {
			return err
		}
	}
	return fmt.Errorf("%w: more than %d pages", forge.ErrTooMany, maxPages)
}

// some removes the nil entries of a list.
func some[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(v *T) bool { return v == nil })
}

// commits removes nil entries and commits without a hash.
func commits(list []*sdk.Commit) []*sdk.Commit {
	return slices.DeleteFunc(list, func(c *sdk.Commit) bool { return c == nil || c.CommitMeta == nil })
}

// next reports whether another page follows. If the header has no link but a total, the list has no
// pages.
func next(header http.Header, got int) bool {
	if link := header.Get("Link"); link != "" {
		return strings.Contains(link, `rel="next"`)
	}
	return header.Get("X-Total-Count") == "" && got >= pageSize
}
