package boot

import (
	"errors"
	"fmt"
	"testing"
)

// An answer of a boot script is recognised. It only contains a reason, and the machine counts as silent.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		is     bool
		why    string
	}{
		{503, `{"state": "fails", "message": "404\u001b[2J"}`, true, `404\x1b[2J`},
		{503, `{"state": "starts", "message": ""}`, true, ""},
		{503, `{"error": "etcdserver: no leader", "code": 14}`, false, ""},
		{503, `no JSON`, false, ""},
		{200, `{"state": "blank"}`, false, ""},
	} {
		err := Answer(c.status, []byte(c.body))
		if (err != nil) != c.is || c.is && !errors.Is(err, ErrSilent) || Why(fmt.Errorf("asked: %w", err)) != c.why {
			t.Errorf("%d %s: %v", c.status, c.body, err)
		}
	}
}
