package private_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/private"
)

var errClass = errors.New("class")

func TestTextHasWhatErrorHides(t *testing.T) {
	cause := fmt.Errorf("%w: dial tcp 10.0.0.3:5000: refused", errClass)
	once := private.Hide("no answer", cause)
	for _, c := range []struct {
		err          error
		public, full string
	}{
		{once, "no answer", cause.Error()},
		{fmt.Errorf("network: %w; try again", once), "network: no answer; try again", "network: " + cause.Error() + "; try again"},
		{private.Hide("outer", fmt.Errorf("inside: %w", once)), "outer", "inside: " + cause.Error()},
		{errors.Join(once, errors.New("b")), "no answer\nb", cause.Error() + "\nb"},
		{fmt.Errorf("%w: %w", private.Hide("first", errors.New("1st")), private.Hide("second", errors.New("2nd"))), "first: second", "1st: 2nd"},
		{rewritten{once}, "something else", "something else (" + cause.Error() + ")"},
	} {
		if got := c.err.Error(); got != c.public {
			t.Errorf("public %q, want %q", got, c.public)
		}
		if got := private.Text(c.err); got != c.full {
			t.Errorf("full %q, want %q", got, c.full)
		}
	}
	if !errors.Is(once, errClass) {
		t.Error("the class is lost")
	}
	if private.Hide("x", nil) != nil || private.Text(nil) != "" {
		t.Error("nil became an error")
	}
}

// rewritten is an error with another text than that of the error that it wraps.
type rewritten struct{ error }

func (rewritten) Error() string   { return "something else" }
func (r rewritten) Unwrap() error { return r.error }

func TestLogsHaveTheWholeText(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: private.Attr}))
	log.Warn("failed", "error", fmt.Errorf("list: %w", private.Hide("no answer", errors.New("dial 10.0.0.3"))))
	if got := out.String(); !strings.Contains(got, "dial 10.0.0.3") {
		t.Errorf("logged %q", got)
	}
}
