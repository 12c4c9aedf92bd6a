package keypair

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

func validate(s *Spec, r *kind.Report) {
	if table.Or(s.Type, "ssh") != "ssh" {
		r.Problem("spec.resource.type", "is "+*s.Type+", which is not supported", "use an ssh key")
		return
	}
	key, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(s.PublicKey))
	switch {
	case err != nil:
		r.Problem("spec.resource.publicKey", "is not a public SSH key", "paste the line of a .pub file, such as: ssh-ed25519 AAAA… you@example.org")
	case len(rest) > 0 || strings.Contains(strings.TrimSpace(s.PublicKey), "\n"):
		r.Problem("spec.resource.publicKey", "has more than one line", "use one key pair for each key")
	case key.Type() == ssh.InsecureKeyAlgoDSA:
		r.Problem("spec.resource.publicKey", fmt.Sprintf("has the type %s, which servers refuse", key.Type()), "make an ed25519 or rsa key")
	}
}

func compareKey(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	kind.Fixed(c, "spec.resource.publicKey", have.Spec.PublicKey, strings.TrimSpace(w.Spec.PublicKey))
}

// marked returns the key with the mark as the last words of its comment: the owner, the digest of the applied manifest,
// and the project. The project is needed because a user's key pairs belong to no project, and two projects may have
// stacks of the same name. The user's own words before the mark are not changed.
func marked(line string, m kind.Mark, _, project string) string {
	return strings.Join([]string{strings.TrimSpace(line), m.Owner, appliedWord + mark.AppliedText(m), projectWord + project}, " ")
}

// unmarked splits a key into the user's line and the mark behind it.
func unmarked(line string) (user string, c mark.Claim) {
	line = strings.TrimSpace(line)
	rest, project, hasProject := cutLast(line, projectWord)
	rest, applied, hasApplied := cutLast(rest, appliedWord)
	user, owner, _ := cutLast(rest, "")
	if _, isOwner := ownertext.Parse(owner); !hasProject || !hasApplied || !isOwner {
		return line, mark.Claim{}
	}
	return user, mark.Claim{Mark: mark.Claimed(append(ownertext.In(user), owner), mark.ReadApplied(applied)), Project: cmp.Or(project, "-")} // no project has the ID "-"
}

const (
	projectWord = "stackreeve-project:"
	appliedWord = "stackreeve-applied:"
)

// cutLast removes the last word of a line. It returns the text before that word, and the word without prefix. ok is false if the word does not begin
// with prefix.
func cutLast(line, prefix string) (before, rest string, ok bool) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return line, "", false
	}
	rest, ok = strings.CutPrefix(line[at+1:], prefix)
	return line[:at], rest, ok
}
