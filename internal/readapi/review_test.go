package readapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// served answers requests for a store.
func served(t *testing.T, s *Store) (ask func(method, path, body string) (int, string)) {
	t.Helper()
	h := New(s, func() ([]Schema, error) { return nil, nil }, "test")
	return func(method, path, body string) (int, string) {
		t.Helper()
		var from io.Reader = http.NoBody
		if body != "" {
			from = strings.NewReader(body)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, from))
		return w.Code, w.Body.String()
	}
}

// message returns a protobuf message with numbered fields. "" leaves a field out.
func message(fields ...string) string {
	var text []byte
	for n, value := range fields {
		if value != "" {
			text = protowire.AppendTag(text, protowire.Number(n+1), protowire.BytesType)
			text = protowire.AppendString(text, value)
		}
	}
	return string(text)
}

// inProtobuf returns a review as newer clients write it.
func inProtobuf(kind, spec string) string {
	return "k8s\x00" + message(message("authorization.k8s.io/v1", kind), message(message("", "", ""), spec, "\x08\x00"), "", "")
}

const (
	accessReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	rulesReviews  = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
)

// Everything can be read and nothing can be written. Clients that first send an access review get this answer in
// the API's own terms.
func TestAccessReviews(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	ask := served(t, s)
	for _, c := range []struct {
		verb, group, resource, sub string
		reason                     string
	}{
		{"list", "example.com", "things", "", ""},
		{"get", "", "namespaces", "", ""},
		{"watch", "stackreeve.dev", "stacks", "", ""},
		{"delete", "example.com", "things", "", noWriting},
		{"patch", "", "secrets", "", noWriting},
		{"*", "*", "*", "", noWriting},
		{"list", "", "secrets", "", "no such resource"},
		{"list", "", "pods", "", "no such resource"},
		{"list", "example.com", "namespaces", "", "no such resource"},
		{"get", "example.com", "things", "scale", "no such resource"},
		{"", "", "", "", noWriting},
	} {
		asked, err := json.Marshal(map[string]any{"spec": map[string]any{"resourceAttributes": resourceDeed{"prod", c.verb, c.group, "v1", c.resource, c.sub, "a"}}})
		if err != nil {
			t.Fatal(err)
		}
		for form, body := range map[string]string{
			"JSON":     string(asked),
			"protobuf": inProtobuf("SelfSubjectAccessReview", message(message("prod", c.verb, c.group, "v1", c.resource, c.sub, "a"))),
		} {
			code, text := ask(http.MethodPost, accessReviews, body)
			var answered struct {
				Kind   string
				Spec   question
				Status struct {
					Allowed bool
					Reason  string
				}
			}
			if err := json.Unmarshal([]byte(text), &answered); err != nil {
				t.Fatal(err)
			}
			st := answered.Status
			if code != http.StatusCreated || answered.Kind != "SelfSubjectAccessReview" || st.Allowed != (c.reason == "") || !strings.Contains(st.Reason, c.reason) {
				t.Errorf("%s in %s: %d %s", c, form, code, text)
			}
			if of := answered.Spec.Resource; of == nil || of.Verb != c.verb || of.Resource != c.resource || of.Name != "a" {
				t.Errorf("%s in %s: the answer does not say what was asked: %s", c, form, text)
			}
		}
	}
}

func TestAccessReviewsOfPaths(t *testing.T) {
	ask := served(t, NewStore([]string{"prod"}, nil, time.Unix(1, 0)))
	for _, c := range []struct {
		verb, path, want string
	}{
		{"get", "/version", `"allowed": true`},
		{"get", "/openapi/v3", `"allowed": true`},
		{"get", "/metrics", "there is nothing at this address"},
		{"post", "/version", noWriting},
	} {
		for _, body := range []string{
			`{"spec": {"nonResourceAttributes": {"path": "` + c.path + `", "verb": "` + c.verb + `"}}}`,
			inProtobuf("SelfSubjectAccessReview", message("", message(c.path, c.verb))),
		} {
			if code, text := ask(http.MethodPost, accessReviews, body); code != http.StatusCreated || !strings.Contains(text, c.want) {
				t.Errorf("%s %s: %d %s", c.verb, c.path, code, text)
			}
		}
	}
}

func TestRulesReviews(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	ask := served(t, s)
	for _, body := range []string{`{"spec": {"namespace": "prod"}}`, inProtobuf("SelfSubjectRulesReview", message("prod"))} {
		code, text := ask(http.MethodPost, rulesReviews, body)
		text = strings.Join(strings.Fields(text), "")
		for _, want := range []string{`"namespace":"prod"`, `"apiGroups":["example.com"],"resources":["things"],"verbs":["get","list","watch"]`, `"/openapi/*"`, `"incomplete":false`} {
			if code != http.StatusCreated || !strings.Contains(text, want) {
				t.Errorf("%s is not in %d %s", want, code, text)
			}
		}
	}
}

// A body that is not a review, or is too long, is refused. A request to a path that is similar to that of a
// review is not treated as a review.
func TestAttackReviews(t *testing.T) {
	ask := served(t, NewStore([]string{"prod"}, nil, time.Unix(1, 0)))
	deep := message("x")
	for range 1000 {
		deep = message(deep)
	}
	for _, c := range []struct {
		method, path, body string
		code               int
	}{
		{"POST", accessReviews, "{", 400},
		{"POST", accessReviews, "", 400},
		{"POST", accessReviews, strings.Repeat("[", 10_000), 400},
		{"POST", accessReviews, strings.Repeat(" ", longestReview+1), 413},
		{"POST", accessReviews, "k8s\x00\xff", 400},
		{"POST", accessReviews, "k8s\x00" + message("", "\xff\xff"), 400},
		{"POST", accessReviews, "k8s\x00" + message("", message("", "\x0a\xff\xff\xff\xff\x7f")), 400},
		{"POST", accessReviews, inProtobuf("SelfSubjectAccessReview", message("\xff")), 400},
		{"POST", accessReviews, inProtobuf("SelfSubjectAccessReview", message("", "\xff")), 400},
		{"POST", accessReviews, "k8s\x00" + deep, 201},
		{"POST", rulesReviews, inProtobuf("SelfSubjectRulesReview", "\xff"), 400},
		{"PUT", accessReviews, "{}", 405},
		{"DELETE", accessReviews, "", 405},
		{"GET", accessReviews, "", 404},
		{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "{}", 405},
		{"POST", accessReviews + "/x", "{}", 405},
	} {
		if code, text := ask(c.method, c.path, c.body); code != c.code || strings.Contains(text, `"allowed": true`) {
			t.Errorf("%s %s %.40q: %d %s", c.method, c.path, c.body, code, text)
		}
	}
}
