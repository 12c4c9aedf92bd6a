package signature_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
}

func allow(t *testing.T, text string) signature.Keys {
	t.Helper()
	k, err := signature.ReadAllowedSigners([]byte(text), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func trust(t *testing.T, text string) signature.Keys {
	t.Helper()
	k, err := signature.ReadOpenPGP([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func raw(g *gittest.Repo, commit string) string { return g.GitWith("", "cat-file", "commit", commit) }

// code returns the reason why a commit does not count; "" if it does.
func code(t *testing.T, commit string, k signature.Keys) signature.Code {
	t.Helper()
	o, err := signature.ParseCommit([]byte(commit))
	if err == nil {
		_, err = k.Signer(o, time.Now())
	}
	return codeOf(t, err)
}

func codeOf(t *testing.T, err error) signature.Code {
	t.Helper()
	var f *signature.Fault
	if err != nil && !errors.As(err, &f) {
		t.Fatal(err)
	}
	if f == nil {
		return ""
	}
	return f.Code
}

func TestSSHSignatures(t *testing.T) {
	need(t, "git", "ssh-keygen")
	g := gittest.New(t)
	ann := gittest.NewSSH(t, "ann@example.org", "ed25519")
	bob := gittest.NewSSH(t, "bob@example.org", "ed25519")
	commit := raw(g, g.CommitAs(ann, "first", "a", "1"))
	other := raw(g, g.CommitAs(ann, "second", "a", "2"))
	unsigned := raw(g, g.Commit("third", "a", "3"))
	replayed := strings.Replace(unsigned, "\n\n", "\n"+header(commit)+"\n\n", 1)
	key := strings.Join(strings.Fields(ann.Public)[:2], " ")
	at := time.Now().UTC()
	tomorrow, yesterday := at.AddDate(0, 0, 1).Format("20060102Z"), at.AddDate(0, 0, -2).Format("20060102150405Z")
	for name, c := range map[string]struct {
		commit, signers string
		want            signature.Code
	}{
		"allowed":             {commit, "ann@example.org " + key, ""},
		"pattern":             {commit, "*@example.com,*@example.org " + key + " Ann", ""},
		"all options":         {commit, fmt.Sprintf("# keys\n\n\"ann@example.org\" namespaces=\"file,git\",valid-after=\"%s\",valid-before=%q %s", yesterday, tomorrow, key), ""},
		"another key":         {commit, "ann@example.org " + bob.Public, signature.Unknown},
		"another principal":   {commit, "bob@example.org " + key, signature.Principal},
		"excluded principal":  {commit, "*@example.org,!ann@* " + key, signature.Principal},
		"another namespace":   {commit, `ann@example.org namespaces="file" ` + key, signature.Namespace},
		"expired":             {commit, fmt.Sprintf("ann@example.org valid-before=%q %s", yesterday, key), signature.Expired},
		"not valid yet":       {commit, fmt.Sprintf("ann@example.org valid-after=%q %s", tomorrow, key), signature.Expired},
		"a later line":        {commit, fmt.Sprintf("ann@example.org valid-before=%q %s\nann@* %s", yesterday, key, key), ""},
		"unsigned":            {unsigned, "* " + key, signature.Unsigned},
		"of another commit":   {replayed, "* " + key, signature.Invalid},
		"changed message":     {strings.Replace(commit, "first", "worst", 1), "* " + key, signature.Invalid},
		"changed tree":        {strings.Replace(commit, commit[:45], other[:45], 1), "* " + key, signature.Invalid},
		"changed committer":   {strings.Replace(commit, "Con Committer", "Con Com", 1), "* " + key, signature.Invalid},
		"two signatures":      {strings.Replace(replayed, "\ngpgsig", "\n"+header(other)+"\ngpgsig", 1), "* " + key, signature.Malformed},
		"an empty signature":  {strings.Replace(commit, "\ngpgsig", "\ngpgsig\ngpgsig", 1), "* " + key, signature.Malformed},
		"long address":        {strings.Replace(unsigned, "con@example.com> 1", strings.Repeat("c", 400)+"> 1", 2), "* " + key, signature.Malformed},
		"signature of SHA256": {strings.Replace(commit, "\ngpgsig", "\ngpgsig-sha256 x\ngpgsig", 1), "* " + key, signature.Malformed},
		"two trees":           {strings.Replace(commit, "\ngpgsig", "\n"+other[:45]+"\ngpgsig", 1), "* " + key, signature.Malformed},
		"no signature at all": {strings.Replace(unsigned, "\n\n", "\ngpgsig x\n\n", 1), "* " + key, signature.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := code(t, c.commit, allow(t, c.signers)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// header returns the header of a commit that has its signature.
func header(commit string) string {
	_, rest, _ := strings.Cut(commit, "\ngpgsig")
	sig, _, _ := strings.Cut(rest, "-----END")
	return "gpgsig" + sig + "-----END SSH SIGNATURE-----"
}

// TestSignatureForAnotherPurpose signs a commit's bytes for another purpose than git, as `ssh-keygen -Y sign -n file` does.
func TestSignatureForAnotherPurpose(t *testing.T) {
	need(t, "git", "ssh-keygen")
	g := gittest.New(t)
	ann := gittest.NewSSH(t, "ann@example.org", "ed25519")
	unsigned := raw(g, g.Commit("first", "a", "1"))
	g.Write("payload", unsigned)
	file := strings.TrimPrefix(ann.Config[1], "user.signingkey=")
	if out, err := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", file, g.Dir+"/payload").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	armor, err := exec.Command("cat", g.Dir+"/payload.sig").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.TrimSpace(string(armor)), "\n", "\n ")
	commit := strings.Replace(unsigned, "\n\n", "\ngpgsig "+text+"\n\n", 1)
	if got := code(t, commit, allow(t, "* "+ann.Public)); got != signature.Namespace {
		t.Error(got)
	}
}

func TestKindsOfSSHKeys(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	need(t, "git", "ssh-keygen")
	for _, kind := range []string{"rsa", "ecdsa"} {
		g := gittest.New(t)
		ann := gittest.NewSSH(t, "ann@example.org", kind)
		if got := code(t, raw(g, g.CommitAs(ann, "first")), allow(t, "ann@example.org "+ann.Public)); got != "" {
			t.Error(kind, got)
		}
	}
}

func TestLinesThatAreRefused(t *testing.T) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBfQEtuyZmUYT7LJ3pk8+Pz8gDtAbfJ6yFNG3/XKeRtk"
	allow(t, "a "+key)
	for name, line := range map[string]string{
		"certificate authority": "* cert-authority " + key,
		"unknown option":        "* from=\"host\" " + key,
		"no key":                "ann@example.org",
		"wrong key":             "ann@example.org ssh-ed25519 AAAA",
		"wrong time":            "* valid-before=\"2026-01-01\" " + key,
		"open quotation mark":   "\"ann " + key,
		"nothing":               "# only a comment",
		"empty namespaces":      "* namespaces=\"\" " + key,
	} {
		if _, err := signature.ReadAllowedSigners([]byte(line), time.UTC); err == nil {
			t.Error(name)
		}
	}
}

func TestTimesAreInTheAgentsZoneWithoutZ(t *testing.T) {
	need(t, "git", "ssh-keygen")
	g := gittest.New(t)
	ann := gittest.NewSSH(t, "ann@example.org", "ed25519")
	o, err := signature.ParseCommit([]byte(raw(g, g.CommitAs(ann, "first"))))
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("", 5*60*60)
	line := fmt.Sprintf("* valid-before=%q %s", o.Time.In(zone).Add(-time.Minute).Format("200601021504"), ann.Public)
	for at, want := range map[*time.Location]signature.Code{zone: signature.Expired, time.UTC: ""} {
		k, err := signature.ReadAllowedSigners([]byte(line), at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Signer(o, time.Now()); codeOf(t, err) != want {
			t.Error(at, err)
		}
	}
}

func TestOpenPGPSignatures(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	need(t, "git", "gpg")
	g := gittest.New(t)
	days := func(ago int) string { return time.Now().AddDate(0, 0, -ago).UTC().Format("20060102T150405!") }
	ann := gittest.NewGPG(t, "ann@example.org", "rsa2048", "2y", "--faked-system-time", days(10))
	bob := gittest.NewGPG(t, "bob@example.org", "ed25519", "0")
	ann.Options()
	signed := raw(g, g.CommitAs(ann, "first", "a", "1"))
	ann.Options("--digest-algo", "SHA1")
	sha1 := raw(g, g.CommitAs(ann, "second", "a", "2"))
	ann.Options("--default-sig-expire", "1", "--faked-system-time", days(5))
	ended := raw(g, g.CommitAs(ann, "third", "a", "3"))
	ann.Options("--textmode")
	text := raw(g, g.CommitAs(ann, "fourth", "a", "4"))
	ann.Options()
	g.GitAs(ann, "tag", "-s", "-m", "one", "v1")
	revoked := func() string { ann.Revoke(); return ann.GPG("--armor", "--export") }()
	both := ann.Public + bob.Public
	for name, c := range map[string]struct {
		commit, keys string
		want         signature.Code
	}{
		"trusted":           {signed, both, ""},
		"not trusted":       {signed, bob.Public, signature.Unknown},
		"changed":           {strings.Replace(signed, "first", "worst", 1), both, signature.Invalid},
		"SHA-1":             {sha1, both, signature.Weak},
		"signature expired": {ended, both, signature.Expired},
		"text mode":         {text, both, signature.Malformed},
		"revoked":           {signed, revoked, signature.Revoked},
	} {
		t.Run(name, func(t *testing.T) {
			if got := code(t, c.commit, trust(t, c.keys)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	o, err := signature.ParseTag([]byte(g.GitWith("", "cat-file", "tag", "v1")))
	if err != nil || o.Tag != "v1" || o.Target != g.Git("rev-parse", "HEAD") {
		t.Fatal(o.Tag, o.Target, err)
	}
	signer, err := trust(t, both).Signer(o, time.Now())
	if err != nil || signer.Name != "Some One <ann@example.org>" || len(signer.Key) != 40 {
		t.Error(signer, err)
	}
}

// TestExpiredOpenPGPKey signs with a key that expires. Its signatures from before count, and those from after do not.
func TestExpiredOpenPGPKey(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	need(t, "git", "gpg")
	g := gittest.New(t)
	ann := gittest.NewGPG(t, "ann@example.org", "ed25519", "1y", "--faked-system-time", "20200101T000000!")
	before := raw(g, g.CommitAs(ann, "first"))
	ann.Options()
	ann.GPG("--quick-set-expire", fingerprint(ann), "0")
	after := raw(g, g.CommitAs(ann, "second"))
	if got := code(t, before, trust(t, ann.Public)); got != "" {
		t.Error("before:", got)
	}
	if got := code(t, after, trust(t, ann.Public)); got != signature.Expired {
		t.Error("after:", got)
	}
}

func fingerprint(s gittest.Signer) string {
	for line := range strings.SplitSeq(s.GPG("--with-colons", "--list-keys"), "\n") {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" {
			return fields[9]
		}
	}
	return ""
}

// TestSubkey signs with a subkey, and revokes only that subkey.
func TestSubkey(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	need(t, "git", "gpg")
	g := gittest.New(t)
	ann := gittest.NewGPG(t, "ann@example.org", "ed25519", "0")
	ann.GPG("--quick-add-key", fingerprint(ann), "ed25519", "sign", "0")
	signed := raw(g, g.CommitAs(ann, "first"))
	if got := code(t, signed, trust(t, ann.Public)); got != signature.Unknown {
		t.Error("without the subkey:", got)
	}
	if got := code(t, signed, trust(t, ann.GPG("--armor", "--export"))); got != "" {
		t.Error("with it:", got)
	}
	ann.RevokeSubkey()
	if got := code(t, signed, trust(t, ann.GPG("--armor", "--export"))); got != signature.Revoked {
		t.Error("revoked:", got)
	}
}

func TestX509IsRefusedByName(t *testing.T) {
	commit := "tree " + strings.Repeat("1", 40) + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN SIGNED MESSAGE-----\n MIIB\n -----END SIGNED MESSAGE-----\n\nsubject\n"
	if got := code(t, commit, signature.Keys{}); got != signature.X509 {
		t.Error(got)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		patterns, text string
		want           bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"*", "", true}, {"*", "a/b", true}, {"a*c", "abbc", true}, {"a*c", "abbd", false}, {"?", "a", true}, {"?", "", false},
		{"b,a", "a", true}, {"*,!a", "a", false}, {"!a,*", "b", true}, {"v*", "v1.2", true}, {"*a*b*", "xaxbx", true}, {"", "a", false}, {"[a]", "a", false},
	} {
		if got := signature.Match(c.patterns, c.text); got != c.want {
			t.Errorf("%q %q: %v", c.patterns, c.text, got)
		}
	}
}

func TestPrivateKeysAreRefused(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	need(t, "gpg")
	ann := gittest.NewGPG(t, "ann@example.org", "ed25519", "0")
	for _, text := range []string{"", "words", ann.GPG("--armor", "--export-secret-keys")} {
		if _, err := signature.ReadOpenPGP([]byte(text)); err == nil {
			t.Errorf("accepted: %.40q", text)
		}
	}
	if _, err := signature.ReadOpenPGP([]byte(ann.GPG("--export"))); err != nil {
		t.Error(err)
	}
}
