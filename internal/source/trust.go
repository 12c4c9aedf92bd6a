package source

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// VerifyMode says which objects of a branch have to be signed.
type VerifyMode string

// These are the modes. If no commit was verified yet, ByRange checks the commits since [Trust.Since]. Without Since, it checks only the newest commit,
// and a person must have signed that one.
const (
	ByHead  VerifyMode = "head"  // the newest commit.
	ByRange VerifyMode = "range" // every commit since the last verified one, on both sides of merges.
	ByTag   VerifyMode = "tag"   // an annotated tag of the newest commit.
)

// Trust says which commits of a branch are trusted. The configuration of the agent defines it, and never the repository.
type Trust struct {
	Mode VerifyMode
	Keys signature.Keys // the keys of people.
	// Forge are the keys with which a forge signs merges. They count only with ByRange, and only for a merge of two trusted commits with the
	// content that git gives it.
	Forge    signature.Keys
	Since    string // a commit that is trusted with everything before it; "" if there is none.
	Tags     string // patterns for the names of tags, as in [signature.Match].
	Rewrites bool   // a commit is trusted, too, if it does not descend from the last verified one.
}

// Signed says who signed a revision. The zero value means that no signature was checked.
type Signed struct {
	By  signature.Signer
	Tag string // the name of the signed tag; "" if the commit is signed.
	// Merged are the people who signed the commits that a forge has merged, each once. It is nil if By is a person.
	Merged []string
	Since  bool // the commit is the one that the configuration trusts.
}

// String returns one line for people; "" if no signature was checked.
func (s Signed) String() string {
	text := ""
	switch {
	case s.Since:
		return "the configuration trusts this commit"
	case s.By == signature.Signer{}:
		return ""
	case s.Tag != "":
		text = fmt.Sprintf("%s, tag %s, key %s", s.By.Name, s.Tag, s.By.Key)
	default:
		text = fmt.Sprintf("%s, key %s", s.By.Name, s.By.Key)
	}
	if len(s.Merged) > 0 {
		text += "; it merged commits of " + strings.Join(s.Merged, ", ")
	}
	return printable.Line(text)
}

// Distrust is the reason why a revision is not verified.
type Distrust string

// These are the reasons, besides those of single signatures.
const (
	BadSignature Distrust = "BadSignature" // a commit's signature does not count.
	NoTag        Distrust = "NoTag"        // no trusted tag names the commit.
	Rewritten    Distrust = "Rewritten"    // the commit does not descend from the last verified one.
	ManyCommits  Distrust = "ManyCommits"  // there are too many commits to check.
	ForgeCommit  Distrust = "ForgeCommit"  // a key of the forge signed something other than a merge.
	ForgeAlone   Distrust = "ForgeAlone"   // only the forge signed the commit, and no commit before it is trusted.
	ForgeContent Distrust = "ForgeContent" // git merges the same parents with another result, or the agent cannot repeat the merge.
	BadArtifact  Distrust = "BadArtifact"  // no trusted key signed the artifact of a registry.
	BadArchive   Distrust = "BadArchive"   // no trusted key signed the archive of a web server.
)

// Doubt is one reason why a revision is not verified.
type Doubt struct {
	Why    Distrust
	Commit string           // the commit that is not trusted, or the last verified one with Rewritten; the digest of an artifact.
	Tag    string           // the tag whose signature does not count; "" for a commit.
	Fault  *signature.Fault // with BadSignature, and with NoTag if a tag exists.
	Detail string
}

// Unverified is the error that a revision is not verified. Nothing of it may be used.
type Unverified struct {
	Commit string
	Doubts []Doubt // at least one; at most [maxDoubts].
	More   int     // the number of further doubts.
}

// Error implements error. The text is public.
func (u *Unverified) Error() string {
	lines := make([]string, len(u.Doubts))
	for i, d := range u.Doubts {
		what, fix := d.Words()
		lines[i] = what + "; " + fix
	}
	return strings.Join(lines, "\n")
}

const shortCommit = 10 // digits

// Words says what is wrong, and how to fix it.
func (d Doubt) Words() (what, fix string) {
	short := d.Commit[:min(len(d.Commit), shortCommit)]
	commit := "commit " + short
	switch d.Why {
	case NoTag:
		what, fix = commit+" has no signed tag", "push an annotated tag of it, which a trusted key signs: git tag --sign NAME "+d.Commit
		if d.Fault != nil {
			what = fmt.Sprintf("the tag %s of %s is not trusted: %s", printable.Line(d.Tag), commit, d.Fault)
		}
		return what, fix
	case Rewritten:
		return "it does not descend from " + commit + ", the last verified one", "push a commit that descends from " + short + ", or set spec.source.verify.rewrites to allow"
	case ManyCommits:
		return "more than " + d.Detail + " commits follow " + commit, "set spec.source.verify.since to a newer commit that you trust"
	case ForgeCommit:
		return commit + " is signed by the forge, and it is not a merge of two commits", "merge with a merge commit instead of a squash, a rebase or an edit in the browser, or sign the commit yourself"
	case ForgeAlone:
		return commit + " is signed only by the forge, and no commit before it is trusted", "set spec.source.verify.since to a commit that you trust, or sign the newest commit yourself"
	case ForgeContent:
		return commit + " is a merge by the forge" + d.Detail, "merge on your machine, and sign the merge"
	case BadArtifact:
		return "the artifact " + d.Commit + " is not verified: " + d.Detail, "sign it with `cosign sign --key`"
	case BadArchive:
		return "the archive " + d.Commit + " is not verified: " + d.Detail, "sign it with `cosign sign-blob --key`, and publish the signature before the archive"
	case BadSignature:
		return commit + ": " + d.Fault.Error(), "sign it with a trusted key: git commit --amend --no-edit --gpg-sign, or git rebase --gpg-sign for older commits"
	}
	return string(d.Why), ""
}
