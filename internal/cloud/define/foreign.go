package define

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NotForeign returns an error if a server has no mark of the stack that wrote the mark of. The caller must not detach anything
// from such a server, because nobody would attach a replacement. It returns nil if the server does not exist.
func NotForeign(ctx context.Context, c *cloud.Client, server string, of *kind.Mark) error {
	var answer struct {
		Server struct{ Metadata map[string]string }
	}
	err := c.Do(ctx, cloud.Call{Service: cloud.Compute, Path: "servers/" + server, Into: &answer})
	switch {
	case errors.Is(err, kind.ErrGone):
		return nil
	case err != nil:
		return err
	}
	if m := mark.InMetadata(answer.Server.Metadata); m != nil && of != nil && (mark.Claim{Mark: m}).Holder() == (mark.Claim{Mark: of}).Holder() {
		return nil
	}
	return fmt.Errorf("%w: the object is attached to server %s, which the stack does not own; detach the object, or undo the change that replaces it", kind.ErrRejected, server)
}

// ServerGone reports whether Nova says that there is no such server. It is false if the answer is unknown.
func ServerGone(ctx context.Context, c *cloud.Client, server string) bool {
	return errors.Is(c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "servers/" + url.PathEscape(server)}), kind.ErrGone)
}
