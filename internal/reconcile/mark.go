package reconcile

import (
	"crypto/sha256"
	"encoding/base32"
	"hash"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Mark is the proof of ownership that travels on a cloud object: which stack
// made it, for which key, and what was last applied to it. How it is stored
// (tags, metadata, description) is the business of package cloud.
type Mark struct {
	// Owner is the text that [OwnerText] gives for the stack and key.
	Owner string
	// Applied is a digest of the spec and options last applied, or "" while
	// the object is half-made.
	Applied string
	// Keep is true when the object outlives its manifest (on-delete: detach or
	// prune: false were set when it was last applied).
	Keep bool
}

// MaxOwnerText is the length in bytes that an owner text never exceeds: the
// longest tag that every Neutron release accepts
// (neutron_lib/db/constants.py: TAG_SIZE was 60 until 2023).
const MaxOwnerText = 60

// MaxStackName is the longest stack name that leaves room for a key in the
// owner text.
const MaxStackName = 20

const ownerPrefix = "stackreeve:"

// OwnerText is what a mark says of stack and key. Keys too long for a tag are
// replaced by a digest of themselves, so that equal keys give equal texts and
// different keys different ones.
func OwnerText(stack string, key manifest.Key) string {
	path := key.Name
	if key.Namespace != "" && key.Namespace != "default" {
		path = key.Namespace + "/" + key.Name
	}
	text := ownerPrefix + stack + ":" + key.Kind + "/" + path
	if len(text) <= MaxOwnerText {
		return text
	}
	return ownerPrefix + stack + ":" + key.Kind + "~" + Digest(path)
}

// Digest is a short, printable, stable fingerprint of text: 12 characters, 60
// bits of SHA-256.
func Digest(text string) string {
	sum := sha256.New()
	put(sum, text)
	return digestOf(sum)
}

func digestOf(sum hash.Hash) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum.Sum(nil)))[:12]
}

// Owner is the parsed form of an owner text. Path is empty when only a digest
// of it was stored.
type Owner struct{ Stack, Kind, Namespace, Name string }

// ParseOwner reads an owner text. ok is false when text is not one.
func ParseOwner(text string) (o Owner, ok bool) {
	rest, ok := strings.CutPrefix(text, ownerPrefix)
	if !ok {
		return Owner{}, false
	}
	stack, rest, ok := strings.Cut(rest, ":")
	if !ok || stack == "" {
		return Owner{}, false
	}
	if kind, _, hashed := strings.Cut(rest, "~"); hashed && !strings.Contains(kind, "/") {
		return Owner{Stack: stack, Kind: kind}, kind != ""
	}
	kind, path, ok := strings.Cut(rest, "/")
	if !ok || kind == "" || path == "" {
		return Owner{}, false
	}
	o = Owner{Stack: stack, Kind: kind, Namespace: "default", Name: path}
	if ns, name, nested := strings.Cut(path, "/"); nested {
		o.Namespace, o.Name = ns, name
	}
	return o, true
}
