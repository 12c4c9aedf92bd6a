package resolve_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// The sums of an object change with everything that a commit can change about it, but with nothing else.
func TestSumsOfObjects(t *testing.T) {
	base := []string{"Thing a", "Thing c", "Text t {x: v}", "Secret s {x: v}", "Box i =spec: {managementPolicy: unmanaged, import: {filter: {name: x, thing: a}}}", "Other o {box: i}", "Thing u =spec: {managementPolicy: unmanaged, import: {filter: {name: deep}}}", "Box i2 =spec: {managementPolicy: unmanaged, import: {filter: {thing: u}}}", "Other o2 {box: i2}", "Secret order {x: v}", "Box opens {opens: order}", "Box b {lid: a, text: t, secret: s, opens: s, after: a} | drift=report"}
	of := func(docs []string, name string) kind.Desired {
		all := kinds(other())
		reading, err := read(resolve.Reader{Kinds: all, Entries: resolve.Entries{Further: []string{"west"}}}, docs...)
		if err != nil {
			t.Fatal(err)
		}
		return object(t, reading.Want, name)
	}
	for name, c := range map[string]struct {
		from, to string
		of       string
		same     bool
	}{
		"nothing":                        {"Box b", "Box b", "Box/b", true},
		"a field":                        {"{lid: a,", "{colour: red, lid: a,", "Box/b", false},
		"an option":                      {"drift=report", "drift=correct", "Box/b", false},
		"a reference":                    {"{lid: a,", "{lid: c,", "Box/b", false},
		"what it refers to":              {"Thing a", "Thing a {colour: red}", "Box/b", true},
		"a text that it refers to":       {"Text t {x: v}", "Text t {x: w}", "Box/b", false},
		"the name of an entry of a text": {"Text t {x: v}", "Text t {z: v}", "Box/b", false},
		"a secret that it refers to":     {"Secret s {x: v}", "Secret s {x: w}", "Box/b", false},
		"the entry of clouds.yaml":       {"Box b {lid: a, text: t, secret: s, opens: s, after: a}", "Box b =spec: {cloudCredentialsRef: {secretName: clouds, cloudName: west}, resource: {lid: a, text: t, secret: s, opens: s, after: a}}", "Box/b", false},
		"what an import is":              {"filter: {name: x,", "filter: {name: w,", "Other/o", false},
		"what an import refers to":       {"thing: a}}}", "thing: c}}}", "Other/o", false},
		"an import of an import":         {"name: deep", "name: deeper", "Other/o2", false},
		"what only has to exist":         {"Secret order {x: v}", "Secret order {x: w}", "Box/opens", true},
		"what is no import":              {"Thing c", "Thing c {colour: red}", "Other/o", true},
	} {
		docs := slices.Clone(base)
		for i := range docs {
			docs[i] = strings.Replace(docs[i], c.from, c.to, 1)
		}
		before, after := of(base, c.of), of(docs, c.of)
		if sum, digest := before.Sum == after.Sum, before.Digest == after.Digest; sum != c.same || digest != c.same {
			t.Errorf("%s: the same sum %t, and digest %t", name, sum, digest)
		}
	}
}

// other returns a kind whose objects refer to Boxes.
func other() *kind.Kind {
	type spec struct {
		Box string `json:"box,omitempty" ref:"Box"`
	}
	return others[spec]("Other")
}

// Digests and fingerprints of secrets are stored in the cloud, so every release must compute the same ones.
func TestDigestsStayTheSame(t *testing.T) {
	want := wanted(t, "Thing a {colour: red}", "Text t {x: v}", "Text long {x: "+strings.Repeat("y", 70_000)+"}", "Secret s {x: v}", "Box b {lid: a, text: t, secret: s}", "Box c {text: long, password: hunter2}", "Box d {password: "+strings.Repeat("p", 2000)+"}",
		"Box e {password: "+strings.Repeat("p", 1024)+"}", "Box f {password: "+strings.Repeat("p", 1023)+"}", "Box g =spec: {managementPolicy: unmanaged, import: {id: x}}")
	var got []string
	for _, d := range want {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %.8s", d.Key, d.Digest, hex.EncodeToString([]byte(d.Confidential.Secret)))))
	}
	if text := strings.Join(got, "\n"); text != strings.TrimSpace(digests) {
		t.Errorf("got\n%s", text)
	}
}

// digests contains the keys of objects, the digests in their marks, and the beginnings of the sums that identify secrets.
const digests = `
Thing/a 7rt5gghcj7di
Text/t ut2bzze6o5vl
Text/long ut2bzze6o5vl
Secret/s ut2bzze6o5vl 64434219
Box/b kqdsmbjpkdwr cc09f645
Box/c bfstz4brjvp3 7bd32415
Box/d yc3vk3vcfqij 014f527d
Box/e gbogqbiuv4zu 0affe2d2
Box/f cfo25gv2cz7s 4cacead9
Box/g ut2bzze6o5vl
`

// The secrets of an object are those in its manifest, and those in the Secrets that it refers to. The holder of a secret is the object
// whose manifest contains it.
func TestHoldersOfSecrets(t *testing.T) {
	k := asker(func(e *kind.Expansion) {
		e.Child("Box", e.Key.Name+"-part", map[string]any{"spec": map[string]any{"resource": map[string]any{"password": "hunter2"}}})
	}, "Box")
	reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Thing a", "Text t {x: v}", "Secret s {x: v}", "Box plain {lid: a, text: t, opens: s}", "Box uses {secret: s} | moved-from=Box/old", "Box own {password: hunter2} | moved-from=Box/older", "Asker q {} | moved-from=Asker/r",
		"Box alike {password: hunter2}", "Box differs {password: hunter3}", "Box both {password: hunter2, secret: s}")
	if err != nil {
		t.Fatal(err)
	}
	secret := func(name string) kind.Confidential { return object(t, reading.Want, name).Confidential }
	for name, want := range map[string]struct {
		holder string
		former []string
	}{
		"Box/plain": {"", nil}, "Thing/a": {"", nil}, "Box/uses": {"Secret/s", nil}, "Box/own": {"Box/own", []string{"Box/older"}}, "Box/q-part": {"Asker/q", []string{"Asker/r"}}, "Box/both": {"Secret/s", nil},
	} {
		if c := secret(name); c.Holder != want.holder || !slices.Equal(c.Former, want.former) || (c.Secret == "") != (want.holder == "") {
			t.Errorf("%s: held by %q, before by %q", name, c.Holder, c.Former)
		}
	}
	if own := secret("Box/own").Secret; own != secret("Box/alike").Secret || own == secret("Box/differs").Secret || own == secret("Box/both").Secret {
		t.Error("secrets are not told apart")
	}
}
