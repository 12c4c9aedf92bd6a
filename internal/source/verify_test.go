package source

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// signers are people whose keys are trusted, a forge, and somebody else.
type signers struct {
	ann, bob, forge, eve gittest.Signer
}

func someSigners(t *testing.T) (s signers, trust Trust) {
	t.Helper()
	s = signers{gittest.NewSSH(t, "ann@example.org", "ed25519"), gittest.NewSSH(t, "bob@example.org", "ed25519"),
		gittest.NewSSH(t, "noreply@forge.example", "ed25519"), gittest.NewSSH(t, "eve@example.org", "ed25519")}
	return s, Trust{Mode: ByRange, Tags: "v*", Keys: allowed(t, s.ann, s.bob), Forge: allowed(t, s.forge)}
}

func allowed(t *testing.T, list ...gittest.Signer) signature.Keys {
	t.Helper()
	text := ""
	for _, s := range list {
		text += s.Email + " " + s.Public + "\n"
	}
	k, err := signature.ReadAllowedSigners([]byte(text), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// doubts returns the reasons why a revision is not verified, with the commits that they name: REASON COMMIT, or CODE COMMIT.
func doubts(t *testing.T, err error) (list []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	var u *Unverified
	if !errors.As(err, &u) {
		t.Fatal(err)
	}
	for _, d := range u.Doubts {
		why := string(d.Why)
		if d.Fault != nil {
			why = string(d.Fault.Code)
		}
		list = append(list, why+" "+d.Commit)
	}
	slices.Sort(list)
	return list
}

// verification is a call of Verify, and its result.
type verification struct {
	name, last string
	change     func(*Trust)
	signed     string // the name of the signer, and the names of those whose commits a forge has merged
	doubts     []string
}

func verifyAll(t *testing.T, r *Repo, trust Trust, list ...verification) {
	t.Helper()
	rev, _, err := r.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		trust := trust
		if c.change != nil {
			c.change(&trust)
		}
		for range 2 { // the second time from memory
			signed, err := r.Verify(t.Context(), rev.Commit, c.last, trust, time.Now())
			slices.Sort(c.doubts)
			if got := doubts(t, err); !slices.Equal(got, c.doubts) {
				t.Errorf("%s: doubts\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.doubts, "\n"))
			}
			if got := strings.Join(append([]string{signed.By.Name}, signed.Merged...), " "); got != c.signed {
				t.Errorf("%s: signed by %q, want %q", c.name, got, c.signed)
			}
		}
	}
}

func head(t *Trust)     { t.Mode = ByHead }
func rewrites(t *Trust) { t.Rewrites = true }

func since(commit string) func(*Trust) { return func(t *Trust) { t.Since = commit } }

func TestVerifyRange(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	s, trust := someSigners(t)
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		for _, allow := range []string{"false", "true"} {
			g.Git("config", "uploadpack.allowFilter", allow)
			g.Git("config", "uploadpack.allowReachableSHA1InWant", allow)
			g.Commit("long ago", "a", "0")
			first := g.CommitAs(s.ann, "first", "a", "1")
			middle := g.Commit("unsigned", "a", "2")
			eves := g.CommitAs(s.eve, "hers", "a", "3")
			last := g.CommitAs(s.bob, "last", "a", "4")
			bad := []string{"Unsigned " + middle, "Unknown " + eves}
			verifyAll(t, newRepo(t, cfg), trust,
				verification{"head", "", head, s.bob.Email, nil},
				verification{"first start", "", nil, s.bob.Email, nil},
				verification{"since the first", first, nil, "", bad},
				verification{"since, in the configuration", "", since(first), "", bad},
				verification{"since, newer", first, since(eves), s.bob.Email, nil},
				verification{"since the last", eves, nil, s.bob.Email, nil},
				verification{"the same", last, nil, s.bob.Email, nil},
				verification{"trusted itself", "", since(last), "", nil},
			)
		}
	})
}

func TestVerifyRewrittenHistory(t *testing.T) {
	s, trust := someSigners(t)
	g := gittest.New(t)
	old := g.CommitAs(s.ann, "old", "a", "1")
	was := g.CommitAs(s.ann, "was", "a", "2")
	g.Git("branch", "kept")
	g.Git("reset", "-q", "--hard", old)
	refused := []string{"Rewritten " + was}
	r := newRepo(t, Config{URL: g.Dir, Branch: "main"})
	all := []verification{
		{"an older signed commit", was, nil, "", refused},
		{"by head", was, head, "", refused},
		{"allowed", was, rewrites, s.ann.Email, nil},
		{"trusted, and older", was, since(old), "", refused},
		{"since is elsewhere", "", since(was), "", refused},
	}
	verifyAll(t, r, trust, all...)
	g.CommitAs(s.ann, "another", "a", "3")
	verifyAll(t, r, trust, all[:3]...)
	g.Git("branch", "-D", "kept")
	g.Git("reflog", "expire", "--expire=now", "--all")
	g.Git("gc", "-q", "--prune=now")
	verifyAll(t, newRepo(t, Config{URL: g.Dir, Branch: "main"}), trust, all[:3]...)
}

func TestVerifyMergesByForge(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	s, trust := someSigners(t)
	g := gittest.New(t)
	merge := func(by gittest.Signer) string {
		g.Git("switch", "-q", "main")
		g.GitAs(by, "merge", "-q", "--no-ff", "-m", "merge", "feature")
		return g.Git("rev-parse", "HEAD")
	}
	base := g.CommitAs(s.ann, "base", "a", ten, "b", ten)
	start := func(by ...gittest.Signer) (last string) {
		g.Git("switch", "-q", "-C", "main", base)
		g.CommitAs(s.ann, "meanwhile", "a", edited("9", "nine"))
		g.Git("switch", "-q", "-C", "feature", base)
		for i, one := range by {
			if one.Email == "" {
				last = g.Commit("unsigned", "b", ten+strings.Repeat("x", i))
			} else {
				last = g.CommitAs(one, "signed", "a", edited("2", strings.Repeat("2", i+2)))
			}
		}
		return last
	}
	r := newRepo(t, Config{URL: g.Dir, Branch: "main"})
	check := func(name, last, signed string, doubts ...string) {
		t.Helper()
		verifyAll(t, r, trust, verification{name, last, nil, signed, doubts})
	}
	everybody := "noreply@forge.example ann@example.org bob@example.org"

	start(s.bob, s.ann)
	merge(s.forge)
	check("a merge", base, everybody)
	merged := g.Git("rev-parse", "main")
	check("a merge that is in force", merged, everybody)
	check("a merge, first start", "", "", "ForgeAlone "+merged)
	verifyAll(t, r, trust, verification{"a merge, since", "", since(base), everybody, nil})
	verifyAll(t, r, trust, verification{"the forge's key is nobody's", "", head, "", []string{"Unknown " + g.Git("rev-parse", "main")}})

	hidden := start(gittest.Signer{}, s.bob)
	hidden = g.Git("rev-parse", hidden+"^")
	merge(s.forge)
	check("an unsigned commit on the other side", base, "", "Unsigned "+hidden)
	check("an unsigned commit on the other side, first start", "", "", "ForgeAlone "+g.Git("rev-parse", "main"))
	start(gittest.Signer{}, s.bob)
	merge(s.ann)
	check("the same, merged by a person, first start", "", s.ann.Email)
	check("the same, merged by a person", base, "", "Unsigned "+hidden)

	start(s.bob)
	merge(s.forge)
	g.Write("evil", "1")
	g.Git("add", "-A")
	g.GitAs(s.forge, "commit", "-q", "--amend", "--no-edit")
	check("a merge with more in it", base, "", "ForgeContent "+g.Git("rev-parse", "main"))

	start(s.bob)
	g.Git("switch", "-q", "main")
	g.Git("merge", "-q", "--squash", "feature")
	squash := g.CommitAs(s.forge, "squash")
	check("a squash", base, "", "ForgeCommit "+squash)
	g.CommitAs(s.ann, "after it", "c", "1")
	check("a squash before the last commit", base, "", "ForgeCommit "+squash)
	check("a squash that is trusted", squash, s.ann.Email)

	start(s.bob)
	g.CommitAs(s.bob, "conflict", "a", edited("9", "neun"))
	g.Git("switch", "-q", "main")
	if err := g.Command("merge", "-q", "--no-ff", "feature").Run(); err == nil {
		t.Fatal("the branches do not conflict")
	}
	resolved := g.CommitAs(s.forge, "resolved", "a", edited("9", "neuf"))
	check("a conflict that was resolved in the browser", base, "", "ForgeContent "+resolved)
}

// If the forge merges a signed branch, its signature does not vouch for earlier commits of the target branch.
func TestAttackFirstParentOfForge(t *testing.T) {
	s, trust := someSigners(t)
	g := gittest.New(t)
	base := g.CommitAs(s.ann, "base", "a", ten, "b", ten)
	g.Git("switch", "-q", "-C", "feature", base)
	g.CommitAs(s.bob, "signed", "a", edited("2", "22"))
	g.Git("switch", "-q", "-C", "was", base)
	was := g.CommitAs(s.ann, "in force", "c", "1")
	g.Git("switch", "-q", "main")
	hidden := g.Commit("unsigned", "evil", "1")
	g.GitAs(s.forge, "merge", "-q", "--no-ff", "-m", "merge", "feature")
	alone := []string{"ForgeAlone " + g.Git("rev-parse", "main")}
	verifyAll(t, newRepo(t, Config{URL: g.Dir, Branch: "main"}), trust,
		verification{"first start", "", nil, "", alone},
		verification{"first start, with rewrites", "", rewrites, "", alone},
		verification{"rewritten", was, rewrites, "", alone},
		verification{"after the base", base, nil, "", []string{"Unsigned " + hidden}},
		verification{"since the base", "", since(base), "", []string{"Unsigned " + hidden}},
	)
}

func TestVerifyTags(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	s, trust := someSigners(t)
	trust.Mode = ByTag
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		first := g.CommitAs(s.ann, "first", "a", "1")
		g.GitAs(s.ann, "tag", "-s", "-m", "one", "v1")
		one := g.Git("rev-parse", "v1")
		r := newRepo(t, cfg)
		verifyAll(t, r, trust, verification{name: "tagged", signed: s.ann.Email}, verification{"another pattern", "", func(t *Trust) { t.Tags = "w*" }, "", []string{"NoTag " + first}})
		last := g.Commit("last", "a", "2")
		none := verification{name: "none", doubts: []string{"NoTag " + last}}
		verifyAll(t, r, trust, none)
		g.Git("tag", "v2")
		verifyAll(t, r, trust, none)
		g.Git("tag", "-a", "-m", "annotated", "v3")
		verifyAll(t, r, trust, verification{name: "not signed", doubts: []string{"Unsigned " + last}})
		g.GitAs(s.eve, "tag", "-f", "-s", "-m", "hers", "v3")
		verifyAll(t, r, trust, verification{name: "not trusted", doubts: []string{"Unknown " + last}})
		g.Git("update-ref", "refs/tags/v4", one)
		verifyAll(t, r, trust, verification{name: "an old tag with a new name", doubts: []string{"Unknown " + last}})
		g.GitAs(s.bob, "tag", "-s", "-m", "not a version", "w1")
		g.Git("update-ref", "refs/tags/v5", g.Git("rev-parse", "w1"))
		verifyAll(t, r, trust, verification{name: "another tag's object", doubts: []string{"Invalid " + last}})
		g.GitAs(s.bob, "tag", "-s", "-m", "five", "v6")
		verifyAll(t, r, trust, verification{name: "signed", signed: s.bob.Email})
		// A signed tag that names another commit in the text that its key signed.
		moved := strings.Replace(g.GitWith("", "cat-file", "tag", one), first, last, 1)
		g.Git("tag", "-d", "v6")
		g.Git("update-ref", "refs/tags/v1", strings.TrimSpace(g.GitWith(moved, "hash-object", "-t", "tag", "-w", "--stdin")))
		g.Git("tag", "-d", "v3", "v5")
		verifyAll(t, r, trust, verification{name: "moved", doubts: []string{"Invalid " + last}})
	})
}

func TestTagsChanged(t *testing.T) {
	s, trust := someSigners(t)
	trust.Mode = ByTag
	g := gittest.New(t)
	g.Commit("first")
	r := newRepo(t, Config{URL: g.Dir, Branch: "main"})
	changed := func() bool {
		if _, _, err := r.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r.TagsChanged(t.Context(), trust)
	}
	changed()
	before := changed()
	g.GitAs(s.ann, "tag", "-s", "-m", "other", "w1")
	other := changed()
	g.GitAs(s.ann, "tag", "-s", "-m", "one", "v1")
	if after := changed(); before || other || !after {
		t.Error(before, other, after)
	}
}

func TestVerifyAsksNothingTwice(t *testing.T) {
	s, trust := someSigners(t)
	g := gittest.New(t)
	first := g.CommitAs(s.ann, "first", "a", "1")
	last := g.CommitAs(s.ann, "last", "a", "2")
	r := newRepo(t, Config{URL: g.Dir, Branch: "main"})
	now := time.Now()
	for range 3 {
		if _, err := r.Verify(t.Context(), last, first, trust, now); err != nil {
			t.Fatal(err)
		}
	}
	if began := r.began.Load(); began != 1 {
		t.Error("conversations:", began)
	}
	trust.Keys = allowed(t, s.bob)
	if _, err := r.Verify(t.Context(), last, first, trust, now); len(doubts(t, err)) != 1 {
		t.Error("after the keys have changed:", err)
	}
}
