// Package keypair is the kind KeyPair: a public key that servers let in
// (Nova), in K-ORC's vocabulary. It knows how a mark fits into the comment of
// a key.
package keypair

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a key pair shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/keypair_types.go).
type Spec struct {
	Name      *string `json:"name,omitempty" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Type      *string `json:"type,omitempty" rule:"immutable,enum=ssh|x509,default=ssh" doc:"What kind of key it is. Only ssh is supported: nothing in a certificate can carry the owner's mark."`
	PublicKey string  `json:"publicKey" rule:"required,immutable,min=1,max=16384" doc:"The public key, in one line as in authorized_keys." example:"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org"`
}

// Filter says which existing key pair is meant.
type Filter struct {
	Name *string `json:"name,omitempty" doc:"Exact name."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a key pair as Nova shows it.
type State struct {
	Name        string `json:"name"`
	PublicKey   string `json:"public_key"`
	Fingerprint string `json:"fingerprint"`
	Type        string `json:"type"`
}

type rules struct{}

// Kind is the kind KeyPair over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "KeyPair", Service: cloud.Compute, UniqueNames: true,
		Unmark: "the mark is the end of the key's comment, which Nova cannot change: openstack keypair delete <id>, and import the key anew without it",
		Doc:    "A public SSH key that new servers let in (Nova). It belongs to the user whose credentials the agent has, not to the project.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(s *Spec, r *kind.Report) {
	if cloud.Or(s.Type, "ssh") != "ssh" {
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
		r.Problem("spec.resource.publicKey", fmt.Sprintf("is of the type %s, which servers refuse", key.Type()), "make an ed25519 or rsa key")
	}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.Name != nil || !w.WasCalled(have.Name) {
		kind.Fixed(c, "spec.resource.name", have.Name, rules{}.Name(w))
	}
	kind.Fixed(c, "spec.resource.type", have.Type, cloud.Or(w.Spec.Type, "ssh"))
	line, _, _ := unmarked(have.PublicKey)
	kind.Fixed(c, "spec.resource.publicKey", line, strings.TrimSpace(w.Spec.PublicKey))
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	return cloud.Is(w.Spec.Name, have.Name)
}

// marked is the key with the mark as the last words of its comment: the owner,
// what was applied, and the project, since the names of stacks are unique
// within one and a user has key pairs across all. The user's words before it
// are kept as they are.
func marked(line string, m kind.Mark, project string) string {
	applied := appliedWord + m.Applied
	if m.Keep {
		applied += keepSuffix
	}
	return strings.Join([]string{strings.TrimSpace(line), m.Owner, applied, projectWord + project}, " ")
}

// unmarked takes a key apart into the user's line, the mark and the project of
// its owner; the mark is nil when there is none.
func unmarked(line string) (user string, mark *kind.Mark, project string) {
	line = strings.TrimSpace(line)
	rest, project, hasProject := cutLast(line, projectWord)
	rest, applied, hasApplied := cutLast(rest, appliedWord)
	user, owner, _ := cutLast(rest, "")
	if _, isOwner := kind.ParseOwner(owner); !hasProject || !hasApplied || !isOwner {
		return line, nil, ""
	}
	digest, keep := cloud.ReadApplied(applied)
	return user, kind.Claimed(append(kind.OwnersIn(user), owner), digest, keep), project
}

const (
	projectWord = "stackreeve-project:"
	appliedWord = "stackreeve-applied:"
	keepSuffix  = ":keep"
)

// cutLast takes the last word off; ok is false unless it begins with prefix.
func cutLast(line, prefix string) (before, rest string, ok bool) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return line, "", false
	}
	rest, ok = strings.CutPrefix(line[at+1:], prefix)
	return line[:at], rest, ok
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint"`
	PublicKey   string `json:"publicKey"`
	Type        string `json:"type"`
}

func (rules) Status(s *State) any {
	line, _, _ := unmarked(s.PublicKey)
	return Observed{Name: s.Name, Fingerprint: s.Fingerprint, PublicKey: line, Type: s.Type}
}
