package sops

import (
	"errors"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Bounds of a file.
const (
	maxDepth    = 100
	maxKeys     = 100
	maxGroups   = 20
	maxPattern  = 1 << 10
	maxWeight   = 2000     // of a pattern
	maxEnvelope = 64 << 10 // bytes of an encrypted data key
	maxProblems = 100
)

const blockName = "sops"

// Has reports whether a document has a block "sops".
func Has(doc *yaml.Node) bool { return block(doc) != nil }

// block returns the value of the key "sops".
func block(doc *yaml.Node) *yaml.Node {
	if doc == nil || doc.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(doc.Content); i += 2 {
		if isBlock(doc.Content[i]) {
			return doc.Content[i+1]
		}
	}
	return nil
}

func isBlock(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Value == blockName }

// strip removes the block from a document.
func strip(doc *yaml.Node) {
	kept := doc.Content[:0:0]
	for i := 0; i+1 < len(doc.Content); i += 2 {
		if !isBlock(doc.Content[i]) {
			kept = append(kept, doc.Content[i], doc.Content[i+1])
		}
	}
	doc.Content = kept
}

// envelope is a data key, or a share of it, encrypted for one holder.
type envelope struct {
	holder string // an age recipient or the fingerprint of an OpenPGP key
	text   string
}

// group is the list of holders of which each can recover the data key, or one share of it.
type group struct{ age, openpgp []envelope }

// metadata is the block "sops" of a document.
type metadata struct {
	groups    []group
	threshold int
	services  []string // names of the key services that could decrypt the file
	rule      rule
	sealedMAC string
	modified  string // the time as the encryption of the MAC authenticates it
	macOnly   bool   // the MAC covers only the encrypted values
}

// keyServices are the lists of keys that only a key service can use.
var keyServices = []struct{ list, name string }{
	{"kms", "AWS KMS"}, {"gcp_kms", "Google Cloud KMS"}, {"hckms", "Huawei Cloud KMS"}, {"azure_kv", "Azure Key Vault"}, {"hc_vault", "HashiCorp Vault"},
}

var errBlock = errors.New("it is not a mapping as SOPS writes it")

// get returns the value of a key in the block, or nil if there is none or more than one.
func get(n *yaml.Node, name string) *yaml.Node {
	var found *yaml.Node
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			if found != nil {
				return nil
			}
			found = n.Content[i+1]
		}
	}
	return found
}

func text(n *yaml.Node, name string) string {
	if v := get(n, name); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// items returns the mappings in a list of the block.
func items(n *yaml.Node, name string) []*yaml.Node {
	v := get(n, name)
	if v == nil || v.Kind != yaml.SequenceNode {
		return nil
	}
	return v.Content
}

func parseBlock(n *yaml.Node) (m metadata, err error) {
	if n.Kind != yaml.MappingNode || aliased(n, 0) {
		return m, errBlock
	}
	m.sealedMAC = text(n, "mac")
	if _, err := parseValue(m.sealedMAC); err != nil {
		return m, errors.New("it has no valid mac")
	}
	modified, err := time.Parse(time.RFC3339, text(n, "lastmodified"))
	if err != nil {
		return m, errors.New("lastmodified is not a time such as 2026-01-31T12:00:00Z")
	}
	m.modified = modified.Format(time.RFC3339)
	m.macOnly = text(n, "mac_only_encrypted") == "true"
	if m.rule, err = parseRule(n); err != nil {
		return m, err
	}
	return m, m.parseGroups(n)
}

// aliased reports whether the block contains an alias, or is nested deeper than any block of SOPS.
func aliased(n *yaml.Node, depth int) bool {
	const deepest = 8
	if n.Kind == yaml.AliasNode || depth > deepest {
		return true
	}
	for _, c := range n.Content {
		if aliased(c, depth+1) {
			return true
		}
	}
	return false
}

func (m *metadata) parseGroups(n *yaml.Node) error {
	groups := []*yaml.Node{n}
	if direct := m.group(n); len(direct.age)+len(direct.openpgp)+len(m.services) == 0 {
		if groups = items(n, "key_groups"); len(groups) > maxGroups {
			return errors.New("it has more than " + strconv.Itoa(maxGroups) + " key groups")
		}
	}
	m.services = nil
	count := 0
	for _, g := range groups {
		parsed := m.group(g)
		count += len(parsed.age) + len(parsed.openpgp)
		m.groups = append(m.groups, parsed)
	}
	if count > maxKeys {
		return errors.New("it has more than " + strconv.Itoa(maxKeys) + " keys")
	}
	if count == 0 && len(m.services) == 0 {
		return errors.New("it has no keys")
	}
	m.threshold = len(m.groups)
	if written := text(n, "shamir_threshold"); written != "" && written != "0" {
		threshold, err := strconv.Atoi(written)
		if err != nil || threshold < 1 || threshold > len(m.groups) {
			return errors.New("shamir_threshold is not a number from 1 to the number of key groups")
		}
		m.threshold = threshold
	}
	return nil
}

func (m *metadata) group(n *yaml.Node) (g group) {
	for _, item := range items(n, "age") {
		g.age = append(g.age, envelope{text(item, "recipient"), text(item, "enc")})
	}
	for _, item := range items(n, "pgp") {
		g.openpgp = append(g.openpgp, envelope{text(item, "fp"), text(item, "enc")})
	}
	for _, s := range keyServices {
		if len(items(n, s.list)) > 0 {
			m.services = append(m.services, s.name)
		}
	}
	return g
}

// holders lists for whom the file was encrypted.
func (m *metadata) holders() (names []string) {
	for _, g := range m.groups {
		for _, e := range g.age {
			names = append(names, clipped(e.holder))
		}
		for _, e := range g.openpgp {
			names = append(names, "OpenPGP "+clipped(e.holder))
		}
	}
	return append(names, m.services...)
}

// clipped shortens a key's name so that people can still compare it. Keys of age with post-quantum cryptography have almost
// two thousand characters.
func clipped(name string) string { return printable.Clip(name, 80) }
