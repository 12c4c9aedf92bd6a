package document

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

const (
	houseManifest = "apiVersion: test/v1\nkind: House\nmetadata: {name: a}\nspec: {colour: COLOUR, rooms: [{name: hall, size: SIZE}]}\n"
	noteManifest  = "apiVersion: test/v1\nkind: Note\nmetadata: {name: note}\ntext: {colour: COLOUR, open: shown}\n"
)

// encryptedWith encrypts the fields colour, size and text of manifests.
func encryptedWith(t *testing.T, colour, size string) (text string, keys *sops.Keys) {
	t.Helper()
	key, err := os.ReadFile("../../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	keys = &sops.Keys{}
	if err := keys.AddAge(key); err != nil {
		t.Fatal(err)
	}
	recipient := regexp.MustCompile(`age1\w+`).FindString(string(key))
	plain := strings.NewReplacer("COLOUR", colour, "SIZE", size).Replace(houseManifest + "---\n" + noteManifest)
	encrypted, err := sops.Encrypt([]byte(plain), sops.Encryption{Recipients: []string{recipient}, Expression: "^(colour|size)$"}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return string(encrypted), keys
}

func readEncrypted(t *testing.T, text string, d manifest.Decryption) []kind.Desired {
	t.Helper()
	note := typed.Data(kind.Info{Group: "test", Version: "v1", Kind: "Note", Public: true}, func(b *struct {
		Text map[string]string `json:"text,omitempty"`
	}, _ *kind.Report) map[string]string {
		return b.Text
	})
	reader := resolve.Reader{Kinds: []*kind.Kind{note, thingtest.New().Kind(), house()}, Decryption: d}
	reading, err := reader.Read(context.Background(), fstest.MapFS{"all.yaml": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return reading.Want
}

// TestEncryptedFieldsAreInNoTree changes encrypted fields, one of which is too short to be found in texts, and looks for
// their values in everything that is shown.
func TestEncryptedFieldsAreInNoTree(t *testing.T) {
	before, keys := encryptedWith(t, "zyxwvuts", "4711")
	after, _ := encryptedWith(t, "red", "42")
	d := manifest.Decryption{Keys: keys}
	have, want := readEncrypted(t, before, d), readEncrypted(t, after, d)
	secrets := confidential.Redactor(have, want)
	var shown strings.Builder
	differences := Differences(have, want)
	for _, d := range differences {
		for _, c := range d.Changes {
			fmt.Fprintln(&shown, d.Key, c.Field, c.Have, c.Want)
			if !c.Secret {
				t.Errorf("%s of %s is not secret", c.Field, d.Key)
			}
		}
	}
	if len(differences) != 2 {
		t.Errorf("got %+v", differences)
	}
	things := 0
	for _, list := range [][]kind.Desired{have, want} {
		for i := range list {
			d := &list[i]
			spec, _ := json.Marshal(Spec(d, secrets))
			fmt.Fprintf(&shown, "%s: %s\n", d.Key, spec)
			for _, v := range Values(d, secrets) {
				fmt.Fprintln(&shown, d.Key, v.Field, v.Value)
			}
			if d.Key.Kind == "Thing" {
				things++
				if !d.Encrypts("spec.resource.colour") || d.Confidential.Secret == "" {
					t.Errorf("the part %s has no secrets: %v", d.Key, d.Encrypted)
				}
			}
		}
	}
	for _, value := range []string{"zyxwvuts", "4711", "red", "42"} {
		if regexp.MustCompile(`\b` + value + `\b`).MatchString(shown.String()) {
			t.Errorf("%s is shown in\n%s", value, shown.String())
		}
	}
	if things != 2 || !strings.Contains(shown.String(), "hall") {
		t.Errorf("got\n%s", shown.String())
	}
}

// TestUnknownValuesAreComparedByTheirEncryptedTexts compares files without decrypting them.
func TestUnknownValuesAreComparedByTheirEncryptedTexts(t *testing.T) {
	sealed := manifest.Decryption{Unknown: true}
	text, _ := encryptedWith(t, "red", "1")
	again, _ := encryptedWith(t, "red", "1")
	if d := Differences(readEncrypted(t, text, sealed), readEncrypted(t, text, sealed)); len(d) > 0 {
		t.Errorf("equal texts differ: %+v", d)
	}
	differences := Differences(readEncrypted(t, text, sealed), readEncrypted(t, again, sealed))
	if len(differences) != 2 {
		t.Fatalf("got %+v", differences)
	}
	for _, d := range differences {
		for _, c := range d.Changes {
			if !c.Secret || strings.Contains(fmt.Sprint(c.Have, c.Want), "ENC[") {
				t.Errorf("%s: %+v", d.Key, c)
			}
		}
	}
}

func TestProblemsHideEncryptedValues(t *testing.T) {
	text, keys := encryptedWith(t, "red", "notanumberzz")
	reader := resolve.Reader{Kinds: []*kind.Kind{house(), thingtest.New().Kind()}, Decryption: manifest.Decryption{Keys: keys}}
	_, err := reader.Read(context.Background(), fstest.MapFS{"all.yaml": {Data: []byte(text)}})
	if err == nil || strings.Contains(err.Error(), "notanumber") || !strings.Contains(err.Error(), "spec.rooms[0].size") {
		t.Errorf("got %v", err)
	}
}
