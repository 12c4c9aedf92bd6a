package session

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// payloads counts requests for payloads.
type payloads struct {
	next  http.RoundTripper
	count int
}

func (p *payloads) wrap(next http.RoundTripper) http.RoundTripper { p.next = next; return p }

func (p *payloads) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/payload") {
		p.count++
	}
	return p.next.RoundTrip(req)
}

// TestBarbican: a secret is found by its ID, or by its name if only one has it. Its payload is read again only if the secret is another one
// or was updated. With a prefix, no other secret can be read. It runs on a real cloud, too.
func TestBarbican(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	seen := &payloads{}
	client := g.Client(seen.wrap)
	var made []string
	make := func(name, of, payload string) cloud.StoredSecret {
		t.Helper()
		body := map[string]any{"name": name}
		if payload != "" {
			body["payload"], body["payload_content_type"] = payload, of
		}
		if of == "application/octet-stream" {
			body["payload_content_encoding"] = "base64"
		}
		var answer cloud.StoredSecret
		if err := client.Do(t.Context(), cloud.Call{Service: cloud.KeyManager, Method: http.MethodPost, Path: "secrets", Body: body, Into: &answer}); err != nil {
			t.Fatal(err)
		}
		made = append(made, answer.ID())
		return answer
	}
	remove := func(ctx context.Context, id string) {
		_ = client.Do(ctx, cloud.Call{Service: cloud.KeyManager, Method: http.MethodDelete, Path: "secrets/" + id}) // the secret may be gone already
	}
	t.Cleanup(func() {
		for _, id := range made {
			remove(context.WithoutCancel(t.Context()), id)
		}
	})
	prefix := g.Stack + "-"
	b := newBarbican(prefix, func(context.Context) (*cloud.Client, error) { return client, nil })
	read := func(path string, known *secretstore.Secret) (*secretstore.Secret, error) {
		return b.Read(t.Context(), secretstore.Place{Path: path}, known)
	}
	first := make(prefix+"password", "text/plain", "correct-horse")
	secret, err := read("password", nil)
	if err != nil || secret.Fields[""] != "correct-horse" || seen.count != 1 {
		t.Fatalf("%v, %v", secret, err)
	}
	if again, err := read("password", secret); err != nil || again != secret || seen.count != 1 {
		t.Errorf("%v, %v: %d payloads were read", again, err, seen.count)
	}
	if byID, err := read(first.ID(), nil); err != nil || byID.Version != secret.Version {
		t.Errorf("by its ID: %v, %v", byID, err)
	}
	bytes := make(prefix+"bytes", "application/octet-stream", base64.StdEncoding.EncodeToString([]byte{0, 255, 1}))
	if got, err := read(bytes.ID(), nil); err != nil || got.Fields[""] != "\x00\xff\x01" {
		t.Errorf("bytes: %v, %v", got, err)
	}
	second := make(prefix+"password", "text/plain", "staple")
	if _, err := read("password", secret); !errors.Is(err, errSeveral) || errors.Is(err, secretstore.ErrDown) {
		t.Errorf("two with one name: %v", err)
	}
	remove(t.Context(), first.ID())
	if rotated, err := read("password", secret); err != nil || rotated.Fields[""] != "staple" || rotated.Version == secret.Version {
		t.Errorf("rotated: %v, %v", rotated, err)
	}
	remove(t.Context(), second.ID())
	for _, path := range []string{"password", second.ID()} {
		if _, err := read(path, secret); !errors.Is(err, secretstore.ErrMissing) {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	empty := make(prefix+"empty", "", "")
	if _, err := read(empty.ID(), nil); !errors.Is(err, secretstore.ErrMissing) {
		t.Errorf("without a payload: %v", err)
	}
	outside := make("outside-"+g.Stack, "text/plain", "not-yours")
	if _, err := read(outside.ID(), nil); !errors.Is(err, errOutside) {
		t.Errorf("outside of the prefix: %v", err)
	}
	shut := newBarbican("", func(context.Context) (*cloud.Client, error) { return nil, errors.New("https://keystone.internal") })
	if _, err := shut.Read(t.Context(), secretstore.Place{Path: "a"}, nil); !errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), "keystone") {
		t.Errorf("no login: %v", err)
	}
}
