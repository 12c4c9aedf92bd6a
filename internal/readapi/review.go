package readapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// longestReview is the maximum size of a review, in bytes.
const longestReview = 16 << 10

// review is a question that clients of Kubernetes ask by creating an object. The object is not stored.
type review struct {
	group, kind string
	read        func(spec []byte) (question, error) // parses the spec in protobuf
	answer      func(h *Handler, q question) map[string]any
}

var reviews = map[string]review{
	"apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {"authorization.k8s.io", "SelfSubjectAccessReview", accessQuestion, (*Handler).mayI},
	"apis/authorization.k8s.io/v1/selfsubjectrulesreviews":  {"authorization.k8s.io", "SelfSubjectRulesReview", rulesQuestion, (*Handler).rules},
	"apis/authentication.k8s.io/v1/selfsubjectreviews":      {"authentication.k8s.io", "SelfSubjectReview", noQuestion, (*Handler).whoAmI},
}

// question is the spec of a review.
type question struct {
	Namespace string        `json:"namespace,omitempty"` // only in a SelfSubjectRulesReview
	Resource  *resourceDeed `json:"resourceAttributes,omitempty"`
	Path      *pathDeed     `json:"nonResourceAttributes,omitempty"`
	who       string        // the name of the client
}

// resourceDeed is an action on a resource.
type resourceDeed struct {
	Namespace   string `json:"namespace,omitempty"`
	Verb        string `json:"verb,omitempty"`
	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Name        string `json:"name,omitempty"`
}

// pathDeed is an action on a path that is no resource.
type pathDeed struct {
	Path string `json:"path,omitempty"`
	Verb string `json:"verb,omitempty"`
}

// review answers a review. It reads the body before it waits for a place, because a client may send slowly.
func (h *Handler) review(w http.ResponseWriter, r *http.Request, v review) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestReview))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		Refuse(w, http.StatusRequestEntityTooLarge, "the review is too long")
		return
	}
	var q question
	if err == nil {
		q, err = v.question(body)
	}
	if err != nil {
		Refuse(w, http.StatusBadRequest, "the review cannot be read")
		return
	}
	if h.Who != nil {
		q.who = h.Who(r.Context())
	}
	h.places.Answer(w, r, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusCreated, "", map[string]any{
			"apiVersion": v.group + "/v1", "kind": v.kind, "metadata": map[string]any{}, "spec": q, "status": v.answer(h, q),
		})
	})
}

func (v review) question(body []byte) (question, error) {
	if spec, ok, err := protobufSpec(body); ok {
		if err != nil {
			return question{}, err
		}
		return v.read(spec)
	}
	var posed struct {
		Spec question `json:"spec"`
	}
	err := json.Unmarshal(body, &posed)
	return posed.Spec, err
}

// whoAmI returns the status of a SelfSubjectReview, which contains the holder of the token.
func (h *Handler) whoAmI(q question) map[string]any {
	return map[string]any{"userInfo": map[string]any{"username": cmp.Or(q.who, "(the holder of a token without a name)"), "groups": []string{"system:authenticated"}}}
}

// mayI returns the status of a SelfSubjectAccessReview.
func (h *Handler) mayI(q question) map[string]any {
	reason := "nothing is asked"
	switch {
	case q.Resource != nil:
		reason = h.objection(*q.Resource)
	case q.Path != nil:
		reason = q.Path.objection()
	}
	if reason == "" {
		return map[string]any{"allowed": true}
	}
	return map[string]any{"allowed": false, "reason": reason}
}

const (
	noWriting = "nothing can be changed here; change the manifest in Git"
	noTrial   = "nothing can be tried here; `stackreeve plan --dir DIR` shows what manifests in a folder would change"
)

// objection returns the reason why an action is not allowed, or "" if it is allowed.
func (h *Handler) objection(to resourceDeed) string {
	switch {
	case !slices.Contains(verbs, to.Verb):
		return noWriting
	case to.Subresource != "" || !slices.ContainsFunc(h.store.resources(), func(r resource) bool { return r.Group == to.Group && r.plural == to.Resource }):
		return "there is no such resource"
	}
	return ""
}

func (d pathDeed) objection() string {
	switch {
	case d.Verb != "get":
		return noWriting
	case !slices.ContainsFunc(Prefixes, func(p string) bool { return d.Path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(d.Path, p) }):
		return "there is nothing at this address"
	}
	return ""
}

// rules returns the status of a SelfSubjectRulesReview. Every admitted client may read everything.
func (h *Handler) rules(question) map[string]any {
	list := []any{}
	resources := h.store.resources()
	for len(resources) > 0 {
		group, plurals := resources[0].Group, []string{}
		for len(resources) > 0 && resources[0].Group == group {
			plurals, resources = append(plurals, resources[0].plural), resources[1:]
		}
		list = append(list, map[string]any{"verbs": verbs, "apiGroups": []string{group}, "resources": slices.Compact(plurals)})
	}
	var paths []string
	for _, p := range Prefixes {
		if strings.HasSuffix(p, "/") {
			p += "*"
		}
		paths = append(paths, p)
	}
	return map[string]any{
		"resourceRules": list, "nonResourceRules": []any{map[string]any{"verbs": []string{"get"}, "nonResourceURLs": paths}}, "incomplete": false,
	}
}
