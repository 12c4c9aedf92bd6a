package forge

import (
	"errors"
	"net/http"
	"testing"
)

// If the fence returns an error, the transport still reads from the forge, but does not write to
// it.
func TestNothingIsPostedBehindAFence(t *testing.T) {
	var asked []string
	c := config(func(req *http.Request) (*http.Response, error) {
		asked = append(asked, req.Method)
		return answer(200, "{}"), nil
	})
	down := errors.New("another agent may serve the stack")
	c.Fence = func() error { return down }
	tr := NewTransport(c)
	for _, method := range []string{"POST", "PATCH", "PUT", "DELETE"} {
		if _, _, err := send(t, tr, method, "repos"); !errors.Is(err, down) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if _, _, err := send(t, tr, "GET", "repos"); err != nil || len(asked) != 1 {
		t.Errorf("GET: %v; asked %v", err, asked)
	}
}
