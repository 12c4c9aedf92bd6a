package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// encodings contains the ways in which services and proxies may repeat a text.
var encodings = []struct {
	name   string
	encode func(string) string
}{
	{"plain", func(s string) string { return s }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64, one byte in", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) }},
	{"base64, two bytes in", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xy" + s + "z")) }},
	{"raw base64", func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs", func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }},
	{"raw base64 for URLs", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 in lines", func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 10, "\r\n") }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"hex with colons", func(s string) string { return wrap(hex.EncodeToString([]byte(s)), 2, ":") }},
	{"query", url.QueryEscape},
	{"path", url.PathEscape},
	{"all percent", func(s string) string { return eachByte(s, "%%%02x") }},
	{"JSON", func(s string) string { text, _ := json.Marshal(s); return string(text) }},
	{"JSON, all escaped", func(s string) string { return eachByte(s, `\u%04X`) }},
	{"Python", func(s string) string { return fmt.Sprintf("b'%s'", eachByte(s, `\x%02x`)) }},
	{"HTML", html.EscapeString},
	{"HTML, decimal", func(s string) string { return eachByte(s, "&#%d;") }},
	{"HTML, hexadecimal", func(s string) string { return eachByte(s, "&#x%X;") }},
	{"upper case", strings.ToUpper},
	{"lower case", strings.ToLower},
	{"in lines", func(s string) string { return wrap(s, 7, "\n  ") }},
}

func eachByte(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func wrap(s string, every int, with string) string {
	var parts []string
	for part := range slices.Chunk([]byte(s), every) {
		parts = append(parts, string(part))
	}
	return strings.Join(parts, with)
}

func of(secrets ...string) *redact.Redactor {
	return redact.New(slices.Values(secrets), slices.Values([]string{"web-front-1"}))
}

// showsAny reports whether out shows six consecutive bytes of text. White space and letter case are ignored.
func showsAny(out, text string) bool {
	out, text = squeeze(out), squeeze(text)
	for i := range max(0, len(text)-5) {
		if strings.Contains(out, text[i:i+6]) {
			return true
		}
	}
	return false
}

func squeeze(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

// TestAttackSecretInAnyEncoding encodes and cuts secrets in every way. If ten bytes of a secret are left, no
// part of the secret or of its encoding is shown.
func TestAttackSecretInAnyEncoding(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{12,40}`).Draw(rt, "secret")
		first := rapid.SampledFrom(encodings).Draw(rt, "first")
		second := rapid.SampledFrom(encodings).Draw(rt, "second")
		if first.name == "upper case" || first.name == "lower case" || !strings.HasSuffix(second.name, "case") {
			encoded := second.encode(first.encode(secret))
			if strings.HasSuffix(second.name, "case") {
				encoded = second.encode(secret)
			}
			least := len(encoded)*10/len(secret) + 16
			from := rapid.IntRange(0, max(0, len(encoded)-least)).Draw(rt, "from")
			to := rapid.IntRange(min(len(encoded), from+least), len(encoded)).Draw(rt, "to")
			piece := encoded[from:to]
			end := rapid.SampledFrom([]string{"", "…", "...", " is not valid", `"}`}).Draw(rt, "end")
			out := of(secret, "something else").Text("Invalid input: " + piece + end)
			if showsAny(out, secret) || showsAny(out, piece) {
				rt.Fatalf("%s of %s: %q\nshows as %q", second.name, first.name, piece, out)
			}
		}
	})
}

func TestAttackSecretForms(t *testing.T) {
	script := "#cloud-config\npassword: hunter2hunter2\nruncmd:\n  - curl -H 'X-Token: pa\"ss<w>&rd+1' https://x\n"
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			for _, part := range []string{script, "hunter2hunter2", "password: hunter2hunter2", `pa"ss<w>&rd+1`} {
				out := of(script).Text("user_data " + e.encode(part) + " is wrong")
				if showsAny(out, part) || showsAny(out, e.encode(part)) {
					t.Errorf("%q shows as %q", e.encode(part), out)
				}
			}
		})
	}
}

func TestPlainWordsStay(t *testing.T) {
	script := "#!/bin/sh\n# wait until the network of the server is available\napt-get install nginx\nhostname web-front-1\nprintf 'password=Xk93-ffZ'\n"
	for _, text := range []string{
		"No valid host was found. There are not enough hosts available.",
		"create: compute: POST /v2.1/servers: 403 Quota exceeded for instances: Requested 1, but already used 10 of 10 instances (req-6f3c2f0e-8a4e-4a52-9a52-2d8b6c3a7c11)",
		"the name web-front-1 is taken by 6f3c2f0e-8a4e-4a52-9a52-2d8b6c3a7c11",
		"the image could not be found; install another",
	} {
		if got := of(script).Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	pem := "-----BEGIN CERTIFICATE-----\nMIIBtjCCAVugAwIBAgITBmyf1XSXNmY\n-----END CERTIFICATE-----\n"
	if text := "it shows a certificate that has expired"; of(pem).Text(text) != text {
		t.Errorf("%q became %q", text, of(pem).Text(text))
	}
	if got := of(script).Text("bad input Xk93-ffZ here"); got != "bad input "+redact.Hidden+" here" {
		t.Errorf("got %q", got)
	}
}

func TestShortSecrets(t *testing.T) {
	r := of("4711", "yes", "one\nA1b2\n")
	for text, want := range map[string]string{
		"PIN 4711 is wrong": "PIN [redacted] is wrong", "port 47110": "port 47110", "yes": "yes", "a1b2?": "[redacted]",
		"bad " + base64.StdEncoding.EncodeToString([]byte("pin=4711")) + " given": "bad [redacted] given",
		"bad NDcx MQ== given": redact.Withheld,
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if none := (*redact.Redactor)(nil); none.Text("a text") != "a text" {
		t.Error("no redactor changed a text")
	}
}

// TestAttackSecretsWithoutEnd has a repository with many secrets: they take a bounded amount of
// memory, and beyond it, foreign texts are withheld.
func TestAttackSecretsWithoutEnd(t *testing.T) {
	testcost.Long(t)
	var b strings.Builder
	for i := range 16 << 20 / 16 {
		fmt.Fprintf(&b, "%015x\n", uint64(i)*0x9e3779b97f4a7c15>>4)
	}
	secret, out := b.String(), ""
	if took := testcost.Allocated(func() { out = of(secret).Text("the server said 0123456789abcde") }) >> 20; took > 128 {
		t.Errorf("16 MB of secrets took %d MB", took)
	}
	if out != redact.TooMany {
		t.Errorf("got %q", out)
	}
}

// TestAttackSecretsTextWithoutEnd checks that the cost of one text is bounded too, however its
// encodings are nested.
func TestAttackSecretsTextWithoutEnd(t *testing.T) {
	r := of("correct-horse-battery")
	text := strings.Repeat(`%25%2541&amp;\u0041QUFB`, 100_000)
	r.Text("warm up")
	var out string
	if took := testcost.Allocated(func() { out = r.Text(text) }) >> 20; took > 64 || len(out) > 32<<10 {
		t.Errorf("took %d MB and gave %d bytes", took, len(out))
	}
}

const configuration = `
cloud:
  projectID: 6f3c2f0e8a4e4a529a522d8b6c3a7c11
  region: RegionOne
  ipVersion: 4
  imageRepository: registry.example.com/team/shop
listen: 0.0.0.0:8443
database:
  url: postgres://shop:Tr0ub4dor@db.example.com:5432/orders
  password: swordfishes
session_token = correct horse battery
"apiKey": "plainletters",
private_key: |
  first part of it
  seventh-heaven
log: {level: debug}
nonce Zm9vYmFyYmF6cXV4MTIz
`

// TestWordsOfAConfigurationStay has a structured text, of which only the words that look like
// secrets are secret. Words that every configuration has are shown, such as names of fields and
// regions.
func TestWordsOfAConfigurationStay(t *testing.T) {
	r := of(configuration, `{"availabilityZone": "ZoneNorth", "auth": {"password": "jsonwords"}, "list": ["securityGroups"]}`)
	for _, text := range []string{
		"projectID", "ipVersion", "RegionOne", "imageRepository", "region RegionOne has no image", "the project 6f3c2f0e8a4e4a529a522d8b6c3a7c11",
		"availabilityZone", "ZoneNorth", "securityGroups: none", "database", "password", "level: debug",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, secret := range []string{"Tr0ub4dor", "swordfishes", "correct horse battery", "plainletters", "first part of it", "seventh-heaven", "Zm9vYmFyYmF6cXV4MTIz", "jsonwords"} {
		for _, e := range encodings {
			if out := r.Text("it says " + e.encode(secret) + " here"); showsAny(out, secret) {
				t.Errorf("%s of %q shows as %q", e.name, secret, out)
			}
		}
	}
	if out := r.Text("bad: " + configuration); showsAny(out, "swordfishes") || showsAny(out, "imageRepository: registry") {
		t.Errorf("the whole of it shows as %q", out)
	}
}

// TestAttackValuesOfSecretKeys checks that the value of a key with the name of a secret is a
// secret, in every form of configuration.
func TestAttackValuesOfSecretKeys(t *testing.T) {
	forms := []string{"%s: %s\nother: x\n", "%s=%s\nOTHER=x\n", "%s = \"%s\"\nother = 1\n", "a:\n  - name: x\n    %s: '%s'\n", "export %s=%s\ntrue\n", "{\"a\": 1,\n \"%s\": \"%s\"}", "run --%s %s --verbose\nexit\n", "{\"%s\": \"%s\"}"}
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.SampledFrom([]string{"password", "DB_PASSWORD", "clientSecret", "api-key", "rootPassphrase", "auth.token", "secret_access_key"}).Draw(rt, "key")
		secret := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_.+/-]{7,30}`).Draw(rt, "secret")
		text := fmt.Sprintf(rapid.SampledFrom(forms).Draw(rt, "form"), key, secret)
		e := rapid.SampledFrom(encodings).Draw(rt, "encoding")
		if out := of(text).Text("bad value " + e.encode(secret) + " given"); showsAny(out, secret) && showsAny(secret, secret) && !plain(secret) {
			rt.Fatalf("%s of %q in %q shows as %q", e.name, secret, text, out)
		}
	})
}

// plain reports whether a drawn secret is a common word.
func plain(secret string) bool { return of(secret).Clean(secret) }

// TestKeysOfMaps checks that keys are treated as values unless a field has that name, and that two
// keys never become one.
func TestKeysOfMaps(t *testing.T) {
	r := of("hunter2hunter2", "swordfishes", "projectID")
	in := map[string]any{"projectID": 1, "hunter2hunter2": "a", "swordfishes": "b", "list": []any{map[string]string{"swordfishes": "c"}, "is hunter2hunter2"}}
	got, ok := r.Value(in, func(key string) bool { return key == "projectID" })
	text, _ := json.Marshal(got)
	want := `{"[redacted]":"a","[redacted] 2":"b","list":[{"[redacted]":"c"},"is [redacted]"],"projectID":1}`
	if !ok || string(text) != want {
		t.Errorf("got %s %v", text, ok)
	}
}
