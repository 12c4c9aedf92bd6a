package s3_test

import (
	"context"
	"crypto/md5" //nolint:gosec // see below
	"crypto/tls"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	openstack "github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/s3"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
)

const bucket = "stackreeve-test"

// store returns a client for the simulated store, or for that of the real cloud in STACKREEVE_TEST_CLOUD. In the
// real one, it creates a bucket.
func store(t *testing.T) (s3.Client, *simulator.World) {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		return real(t), nil
	}
	w := simulator.New("key", bucket)
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return to(t, server.URL, s3.Keys{ID: "key", Secret: "secret"}), w
}

func to(t *testing.T, address string, keys s3.Keys) s3.Client {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	way := outbound.New(outbound.Config{Home: []string{at.Hostname()}, MaxAnswer: s3.MaxAnswer, TLS: &tls.Config{MinVersion: tls.VersionTLS12}})
	t.Cleanup(way.CloseIdleConnections)
	return s3.Client{Endpoint: at, Region: "us-east-1", Keys: func() (s3.Keys, error) { return keys, nil }, Way: way}
}

func real(t *testing.T) s3.Client {
	t.Helper()
	cloud := kindtest.NewTarget(t, all.Kinds).Client(nil)
	endpoint, keys := kindtest.S3(t, cloud)
	if err := cloud.Do(t.Context(), openstack.Call{Service: openstack.ObjectStore, Method: http.MethodPut, Path: bucket}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Do(context.WithoutCancel(t.Context()), openstack.Call{Service: openstack.ObjectStore, Method: http.MethodDelete, Path: bucket}); err != nil {
			t.Error(err)
		}
	})
	return to(t, endpoint, keys)
}

// folder returns a prefix for one test. All objects with the prefix are deleted at the end.
func folder(t *testing.T, c s3.Client) string {
	t.Helper()
	at := strings.ToLower(t.Name()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "/"
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for _, key := range keys(t, ctx, c, at) {
			if err := c.Remove(ctx, bucket, key); err != nil {
				t.Error(err)
			}
		}
	})
	return at
}

func keys(t *testing.T, ctx context.Context, c s3.Client, begin string) (all []string) { //nolint:revive // a test has more than one context
	t.Helper()
	if err := c.List(ctx, bucket, begin, func(key string) error { all = append(all, key); return nil }); err != nil {
		t.Error(err)
	}
	return all
}

func put(t *testing.T, c s3.Client, key, data string, meta map[string]string) {
	t.Helper()
	if err := c.Put(t.Context(), bucket, key, meta, strings.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
}

// TestAnObject writes an object once, describes it, reads parts of it while it is unchanged, and deletes it.
func TestAnObject(t *testing.T) {
	c, _ := store(t)
	at := folder(t, c)
	key, data := at+"a b/ü+&=~'(1).db", strings.Repeat("0123456789", 1000)
	sum := md5.Sum([]byte(data)) //nolint:gosec // such a store reports the MD5 of its data
	begun := time.Now().Add(-time.Minute)
	put(t, c, key, data, map[string]string{"stackreeve": "owner", "stackreeve-self": "x"})
	o, err := c.Head(t.Context(), bucket, key)
	if err != nil || o.Size != 10000 || o.MD5 != hex.EncodeToString(sum[:]) || o.Meta["stackreeve"] != "owner" || o.Modified.Before(begun) {
		t.Fatalf("%+v: %v", o, err)
	}
	if err := c.Put(t.Context(), bucket, key, nil, strings.NewReader("other"), 5); !errors.Is(err, s3.ErrChanged) {
		t.Errorf("written again: %v", err)
	}
	part, err := c.Part(t.Context(), bucket, key, o.ETag, 9995, 9999)
	if err != nil || string(part) != "56789" {
		t.Errorf("part: %q, %v", part, err)
	}
	if err := c.Describe(t.Context(), bucket, key, o.ETag, map[string]string{"stackreeve": "owner", "stackreeve-sha256": "0a"}); err != nil {
		t.Fatal(err)
	}
	after, err := c.Head(t.Context(), bucket, key)
	if err != nil || after.Meta["stackreeve-sha256"] != "0a" || after.Meta["stackreeve-self"] != "" || after.Size != o.Size || after.MD5 != o.MD5 {
		t.Errorf("described: %+v: %v", after, err)
	}
	another := strings.Repeat("0", 32)
	if _, err := c.Part(t.Context(), bucket, key, another, 0, 4); !errors.Is(err, s3.ErrChanged) {
		t.Errorf("a part of another one: %v", err)
	}
	if err := c.Describe(t.Context(), bucket, key, another, nil); !errors.Is(err, s3.ErrChanged) {
		t.Errorf("described, another one: %v", err)
	}
	if err := errors.Join(c.Remove(t.Context(), bucket, key), c.Remove(t.Context(), bucket, key)); err != nil {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := c.Head(t.Context(), bucket, key); !errors.Is(err, s3.ErrNotFound) {
		t.Errorf("gone: %v", err)
	}
}

// TestList checks that a list contains all keys, however they are divided into pages, and that it stops on
// request.
func TestList(t *testing.T) {
	c, _ := store(t)
	at := folder(t, c)
	var want []string
	for i := range 8 {
		want = append(want, at+"a/"+strconv.Itoa(i))
		put(t, c, want[i], "x", nil)
	}
	put(t, c, at+"b", "x", nil)
	if got := keys(t, t.Context(), c, at+"a/"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	enough, n := errors.New("enough"), 0
	if err := c.List(t.Context(), bucket, at, func(string) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("stopped after %d: %v", n, err)
	}
}

// TestDataThatBreaksOff checks that an incomplete upload creates no object.
func TestDataThatBreaksOff(t *testing.T) {
	c, _ := store(t)
	at := folder(t, c)
	broken := io.MultiReader(strings.NewReader("half"), failing{})
	if err := c.Put(t.Context(), bucket, at+"x", nil, broken, 8); err == nil {
		t.Error("half of it was taken")
	}
	if got := keys(t, t.Context(), c, at); len(got) != 0 {
		t.Errorf("it left %q", got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken off") }

// TestRefusals checks that each error of the store has a class, and that its text contains nothing from the
// store except the code.
func TestRefusals(t *testing.T) {
	c, _ := store(t)
	ctx := t.Context()
	unknown := c
	unknown.Keys = func() (s3.Keys, error) { return s3.Keys{ID: "nobody", Secret: "hunter2"}, nil }
	at := folder(t, c)
	_, gone := c.Head(ctx, bucket, at+"nothing")
	for name, r := range map[string]struct {
		err  error
		want error
	}{
		"no bucket":     {c.List(ctx, bucket+"-of-nobody", "", func(string) error { return nil }), s3.ErrNoBucket},
		"nobody":        {unknown.List(ctx, bucket, "", func(string) error { return nil }), s3.ErrDenied},
		"no object":     {gone, s3.ErrNotFound},
		"of none":       {c.Describe(ctx, bucket, at+"nothing", strings.Repeat("0", 32), nil), s3.ErrNotFound},
		"not in bucket": {c.Remove(ctx, bucket+"-of-nobody", "x"), s3.ErrNoBucket},
	} {
		if text := private.Text(r.err); !errors.Is(r.err, r.want) || strings.Contains(text, "hunter2") || strings.Contains(text, "nobody/") {
			t.Errorf("%s: %v", name, text)
		}
	}
}

// TestRefusalsThatPeopleCorrect checks that such an error says how to correct the problem. It must not be
// [s3.ErrDenied], which would suggest that the keys are wrong.
func TestRefusalsThatPeopleCorrect(t *testing.T) {
	c, w := store(t)
	if w == nil {
		t.Skip("takes a store that refuses what it is told to")
	}
	for _, r := range []struct {
		status int
		code   string
		want   error
		says   string
	}{
		{http.StatusForbidden, "InvalidObjectState", s3.ErrArchived, "restore it there, or exclude its folder from the rule"},
		{http.StatusForbidden, "RequestTimeTooSkewed", s3.ErrClock, "the clock of this machine differs from the store's; correct it"},
		{http.StatusForbidden, "QuotaExceeded", s3.ErrFull, "raise the quota"},
		{http.StatusBadRequest, "XMinioAdminBucketQuotaExceeded", s3.ErrFull, "keep fewer"},
		{http.StatusMovedPermanently, "PermanentRedirect", s3.ErrAddress, "spec.defaults.s3.endpoint"},
		{http.StatusBadRequest, "AuthorizationHeaderMalformed", s3.ErrAddress, "spec.defaults.s3.region"},
		{http.StatusMovedPermanently, "", s3.ErrAddress, "another region"},
	} {
		w.Fail = func(*http.Request) (int, string) { return r.status, r.code }
		err := c.List(t.Context(), bucket, "", func(string) error { return nil })
		if !errors.Is(err, r.want) || !errors.Is(err, s3.ErrRejected) || errors.Is(err, s3.ErrDenied) || !strings.Contains(private.Text(err), r.says) {
			t.Errorf("%d %s: %v", r.status, r.code, err)
		}
		if _, err := c.Head(t.Context(), bucket, "x"); r.status == http.StatusMovedPermanently && !errors.Is(err, r.want) {
			t.Errorf("HEAD: %d: %v", r.status, err)
		}
	}
}

// TestAttackAStoreThatLies uses a store with false or inconsistent answers. None of them is accepted.
func TestAttackAStoreThatLies(t *testing.T) {
	c, w := store(t)
	if w == nil {
		t.Skip("real ones do not lie")
	}
	put(t, c, "x", "data", nil)
	for name, lie := range map[string]http.HandlerFunc{
		"an endless list": func(out http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(out, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>")
		},
		"a list that is none": func(out http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(out, "<html>login</html>") },
		"a list without an end": func(out http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(out, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
		},
		"a list that is too big": func(out http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(out, "<ListBucketResult>"+strings.Repeat(" ", s3.MaxAnswer))
		},
		"a redirect": func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, "http://127.0.0.2:1/x", http.StatusTemporaryRedirect)
		},
	} {
		server := httptest.NewServer(lie)
		liar := to(t, server.URL, s3.Keys{ID: "key", Secret: "secret"})
		if err := liar.List(t.Context(), bucket, "", func(string) error { return nil }); err == nil {
			t.Errorf("%s was believed", name)
		}
		server.Close()
	}
	whole := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(out, "data") }))
	defer whole.Close()
	if part, err := to(t, whole.URL, s3.Keys{ID: "key", Secret: "secret"}).Part(t.Context(), bucket, "x", "e", 0, 3); err == nil {
		t.Errorf("what is not the part that was asked for: %q", part)
	}
	late := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(out, "<Error><Code>InternalError</Code></Error>")
	}))
	defer late.Close()
	if err := to(t, late.URL, s3.Keys{ID: "key", Secret: "secret"}).Describe(t.Context(), bucket, "x", "e", nil); err == nil {
		t.Error("a copy that failed after it had been answered")
	}
}

// TestEncryptedByOthers uses an ETag that does not depend on the data, because the data are encrypted.
func TestEncryptedByOthers(t *testing.T) {
	c, w := store(t)
	if w == nil {
		t.Skip("takes a store that does so")
	}
	put(t, c, "x", "data", nil)
	w.Encrypted = true
	if o, err := c.Head(t.Context(), bucket, "x"); err != nil || o.MD5 != "" || o.ETag == "" {
		t.Errorf("%+v: %v", o, err)
	}
}

func TestParseKeys(t *testing.T) {
	for text, want := range map[string]s3.Keys{
		"[default]\naws_access_key_id = a\naws_secret_access_key = b=\n":                                                           {ID: "a", Secret: "b="},
		"# mine\naws_access_key_id=a\n\naws_secret_access_key=b\naws_session_token=c":                                              {ID: "a", Secret: "b", Token: "c"},
		"[other]\naws_access_key_id=x\naws_secret_access_key=y\n[default]\naws_access_key_id=a\nregion=r\naws_secret_access_key=b": {ID: "a", Secret: "b"},
		"[other]\naws_access_key_id=hunter2\naws_secret_access_key=hunter2":                                                        {},
		"hunter2": {},
		"":        {},
	} {
		got, err := s3.ParseKeys(text)
		if got != want || (err != nil) != (want == s3.Keys{}) || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
