package resolve_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// through returns a Box whose manifest names a Secret and an entry of clouds.yaml.
func through(secret, entry, resource string) string {
	return "Box b =spec: {cloudCredentialsRef: {secretName: \"" + secret + "\", cloudName: \"" + entry + "\"}, resource: " + resource + "}"
}

// Manifests name entries of clouds.yaml, by their names or by Secrets that are mapped to them. An object that is a
// part of another one, such as a RouterInterface of a Router, has the same entry as that object.
func TestEntriesOfManifests(t *testing.T) {
	west := resolve.Entries{Main: "main", Further: []string{"west", "east"}}
	secrets := resolve.Entries{Further: []string{"west", "east"}, Secrets: map[string]string{"in-the-east": "east", "any": ""}}
	for name, c := range map[string]struct {
		entries resolve.Entries
		repo    []string
		of      string
		want    string
	}{
		"none are allowed":            {resolve.Entries{}, []string{through("s", "west", "{}")}, "Box/b", ""},
		"nothing is named":            {west, []string{"Box b"}, "Box/b", ""},
		"the main one":                {west, []string{through("s", "main", "{}")}, "Box/b", ""},
		"a further one":               {west, []string{through("s", "west", "{}")}, "Box/b", "west"},
		"one by a Secret":             {secrets, []string{through("in-the-east", "west", "{}")}, "Box/b", "east"},
		"one by a Secret for any":     {secrets, []string{through("any", "west", "{}")}, "Box/b", "west"},
		"of the object it belongs to": {west, []string{"Thing a =spec: {cloudCredentialsRef: {secretName: s, cloudName: east}, resource: {}}", "Box b {thing: a}"}, "Box/b", "east"},
		"its own first":               {west, []string{"Thing a =spec: {cloudCredentialsRef: {secretName: s, cloudName: east}, resource: {}}", through("s", "west", "{thing: a}")}, "Box/b", "west"},
		"not of what it only uses":    {west, []string{"Thing a =spec: {cloudCredentialsRef: {secretName: s, cloudName: east}, resource: {}}", "Box b {lid: a}"}, "Box/b", ""},
	} {
		reading, err := read(resolve.Reader{Entries: c.entries}, c.repo...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := object(t, reading.Want, c.of).Entry; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	const cloud, secret = "Box/b spec.cloudCredentialsRef.cloudName", "Box/b spec.cloudCredentialsRef.secretName"
	refused(t, resolve.Reader{Entries: west}, map[string]refusal{"one that is not allowed": {[]string{through("s", "north", "{}")}, []string{cloud}, "main, west, east"}})
	refused(t, resolve.Reader{Entries: resolve.Entries{Further: []string{"west"}}}, map[string]refusal{"not allowed, without a main one": {[]string{through("s", "north", "{}")}, []string{cloud}, "one of west, remove"}})
	refused(t, resolve.Reader{Entries: secrets}, map[string]refusal{
		"a Secret that stands for none":      {[]string{through("other", "west", "{}")}, []string{secret}, "any, in-the-east"},
		"a Secret among the manifests":       {[]string{through("other", "west", "{}"), "Secret other {x: words}"}, nil, ""},
		"a Secret of another namespace":      {[]string{through("other", "west", "{}"), "Secret n:other {x: words}"}, []string{secret}, ""},
		"no manifest says where it is":       {[]string{"Box b"}, nil, ""},
		"a Secret that stands for something": {[]string{through("any", "west", "{}")}, nil, ""},
	})
}
