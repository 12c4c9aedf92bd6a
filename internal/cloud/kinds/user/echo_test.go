package user_test

import (
	"bytes"
	"io"
	"net/http"
)

// echoing is a transport that refuses each request that creates a user, and repeats the
// request in the refusal.
type echoing struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (e echoing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !bytes.HasSuffix([]byte(r.URL.Path), []byte("/users")) {
		return e.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(append(append([]byte(`{"error": {"message": "Invalid input: `), bytes.ReplaceAll(body, []byte(`"`), []byte(`'`))...), `"}}`...)))}, nil
}
