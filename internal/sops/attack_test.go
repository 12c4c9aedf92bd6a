package sops

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func kept(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/real/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func codes(ps []Problem) (list []Code) {
	for _, p := range ps {
		if !slices.Contains(list, p.Code) {
			list = append(list, p.Code)
		}
	}
	return list
}

// edit replaces a text that must occur.
func edit(t *testing.T, text, old, by string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q does not occur", old)
	}
	return strings.Replace(text, old, by, 1)
}

var sealedText = regexp.MustCompile(`ENC\[[^\]]*\]`)

func TestChangedFilesAreRefused(t *testing.T) {
	secret, documents, several := kept(t, "secret.yaml"), kept(t, "documents.yaml"), kept(t, "several.yaml")
	values := sealedText.FindAllString(secret, -1)
	parts := strings.Split(documents, "\n---\n")
	for name, c := range map[string]struct {
		text string
		want Code
	}{
		"a clear field is changed":              {edit(t, secret, "name: app", "name: other"), BadMAC},
		"a clear field is added":                {edit(t, secret, "name: app", "name: app\n    namespace: other"), BadMAC},
		"a moved value":                         {edit(t, secret, values[0], values[1]), BadValue},
		"a key is renamed":                      {edit(t, secret, "password:", "token:"), BadValue},
		"a value is from another file":          {edit(t, secret, values[0], sealedText.FindString(several)), BadValue},
		"a value is removed":                    {edit(t, secret, "    password: "+values[0]+"\n", ""), BadMAC},
		"a value is emptied":                    {edit(t, secret, values[0], `""`), BadMAC},
		"a value is in clear":                   {edit(t, secret, values[0], "plain"), InClear},
		"a number is in clear":                  {edit(t, secret, values[0], "5"), InClear},
		"an empty value is filled":              {edit(t, secret, `empty: ""`, "empty: x"), InClear},
		"a value is broken":                     {edit(t, secret, values[0], values[0][:40]+"]"), BadValue},
		"a value is of another type":            {edit(t, secret, "type:str]", "type:int]"), BadValue},
		"a value becomes a comment":             {edit(t, secret, "type:str]", "type:comment]"), BadValue},
		"the MAC is of another file":            {edit(t, secret, values[len(values)-1], sealedText.FindAllString(several, -1)[2]), BadMAC},
		"the MAC is missing":                    {edit(t, secret, "    mac: ", "    max: "), BadBlock},
		"the time is changed":                   {regexp.MustCompile(`lastmodified: .*`).ReplaceAllString(secret, `lastmodified: "2020-01-01T00:00:00Z"`), BadMAC},
		"the MAC covers only encrypted values":  {edit(t, edit(t, secret, "    mac: ", "    mac_only_encrypted: true\n    mac: "), "name: app", "name: other"), BadMAC},
		"an encrypted value where none belongs": {edit(t, secret, "name: app", "name: "+values[0]), Misplaced},
		"the rule is changed":                   {edit(t, secret, "encrypted_regex: ", "unencrypted_regex: "), Misplaced},
		"two rules":                             {edit(t, secret, "encrypted_regex: ", "encrypted_suffix: x\n    encrypted_regex: "), BadBlock},
		"the rule is no expression":             {edit(t, secret, "^(data", "^((data"), BadBlock},
		"the block is written twice":            {secret + secret[strings.Index(secret, "sops:"):], BadBlock},
		"the block is no mapping":               {"apiVersion: v1\nsops: [mac]\n", BadBlock},
		"an alias":                              {edit(t, secret, "name: app", "name: &a app\n    again: *a"), Unsupported},
		"a merge":                               {edit(t, secret, "    name: app", "    <<: {name: app}"), Unsupported},
		"a document is removed":                 {parts[0] + "\n---\n" + parts[2], BadMAC},
		"two documents change places":           {parts[1] + "\n---\n" + parts[0] + "\n---\n" + parts[2], BadMAC},
		"a document is copied":                  {parts[0] + "\n---\n" + parts[1] + "\n---\n" + parts[1] + "\n---\n" + parts[2], BadMAC},
		"a document without a block":            {documents + "---\napiVersion: v1\nkind: Secret\n", BadDocument},
		"a document of another file":            {secret + "---\n" + several, BadDocument},
		"a list as a document":                  {"- sops\n---\n" + secret, BadDocument},
		"a key service only":                    {regexp.MustCompile(`(?s)age:.*?lastmodified`).ReplaceAllString(secret, "kms:\n        - arn: x\n          enc: x\n    encrypted_regex: ^(data|stringData)$$\n    lastmodified"), KeyServices},
		"no keys":                               {regexp.MustCompile(`(?s)age:.*?lastmodified`).ReplaceAllString(secret, "encrypted_regex: ^(data|stringData)$$\n    lastmodified"), BadBlock},
		"a damaged data key":                    {edit(t, secret, "-----BEGIN AGE ENCRYPTED FILE-----", "-----BEGIN AGE ENCRYPTED FILE----"), BadBlock},
	} {
		_, problems := opened(t, []byte(c.text), keysOf(t, "first", "second"))
		if !slices.Contains(codes(problems), c.want) {
			t.Errorf("%s: got %v, want %s", name, problems, c.want)
		}
		for _, p := range problems {
			if p.Line < 1 || p.What == "" || strings.Contains(p.What, "correct horse") {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// TestAListItemThatBecomesACommentIsMissed drops a value of a list by declaring it a comment.
func TestAListItemThatBecomesACommentIsMissed(t *testing.T) {
	text := kept(t, "types.yaml")
	at := strings.Index(text, "        - ENC[")
	end := at + strings.Index(text[at:], "type:")
	_, problems := opened(t, []byte(text[:end]+edit(t, text[end:], "type:str]", "type:comment]")), keysOf(t, "first"))
	if !slices.Equal(codes(problems), []Code{BadMAC}) {
		t.Errorf("got %v", problems)
	}
}

func TestLinesAreThoseOfTheFile(t *testing.T) {
	text := kept(t, "secret.yaml")
	values := sealedText.FindAllString(text, -1)
	_, problems := opened(t, []byte(edit(t, text, values[0], values[1])), keysOf(t, "first"))
	want := 1 + strings.Count(text[:strings.Index(text, "password:")], "\n")
	if len(problems) != 1 || problems[0].Line != want || problems[0].Field != "stringData.password" {
		t.Errorf("got %+v, want line %d", problems, want)
	}
}

func TestKeysThatDoNotFit(t *testing.T) {
	for name, keys := range map[string]*Keys{"none": nil, "empty": {}, "other": keysOf(t, "second", "openpgp")} {
		_, problems := opened(t, []byte(kept(t, "secret.yaml")), keys)
		if !slices.Equal(codes(problems), []Code{NoKey}) || !strings.Contains(problems[0].What, recipient(t, "first")) {
			t.Errorf("%s: got %+v", name, problems)
		}
		if name == "other" && !strings.Contains(problems[0].What, recipient(t, "second")) {
			t.Errorf("the message does not name the agent's keys: %+v", problems)
		}
	}
	if _, problems := opened(t, []byte(kept(t, "groups.yaml")), keysOf(t, "first")); !slices.Equal(codes(problems), []Code{NoKey}) {
		t.Errorf("one of two groups is enough: %v", problems)
	}
	for _, two := range [][]string{{"first", "second"}, {"second", "openpgp"}, {"first", "openpgp"}, {"first", "second", "openpgp"}} {
		if _, problems := opened(t, []byte(kept(t, "groups.yaml")), keysOf(t, two...)); len(problems) > 0 {
			t.Errorf("%v: %v", two, problems)
		}
	}
}

// TestADocumentIsDecryptedAgain parses one document of a file again, as objects do that were released.
func TestADocumentIsDecryptedAgain(t *testing.T) {
	text := []byte(kept(t, "documents.yaml"))
	docs := parse(t, text)
	file, problems := Read(docs, &Effort{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if fields := file.Secrets(1); len(fields) != 1 || fields[0].Field != "stringData.password" {
		t.Errorf("got %+v", fields)
	}
	key, problems := file.Decrypt(keysOf(t, "first"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	again := parse(t, text)
	for i, doc := range again {
		if err := key.Again(doc); err != nil {
			t.Fatal(err)
		}
		if have, want := plainValues(again[i:i+1]), plainValues(docs[i:i+1]); have != want {
			t.Errorf("got %s, want %s", have, want)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	protected := "AGE-PLUGIN-YUBIKEY-1QGRGQQZZZZZ"
	for _, text := range []string{"", "# only a comment\n", protected, "ssh-ed25519 AAAA", "-----BEGIN OPENSSH PRIVATE KEY-----\n", "AGE-SECRET-KEY-1BROKEN"} {
		var k Keys
		if err := k.AddAge([]byte(text)); err == nil || text != "" && strings.Contains(err.Error(), text) || !k.None() {
			t.Errorf("%q: %v", text, err)
		}
		if err := k.AddOpenPGP([]byte(text)); err == nil || !k.None() {
			t.Errorf("%q: %v", text, err)
		}
	}
}
