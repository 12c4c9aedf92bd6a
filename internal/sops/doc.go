// Package sops reads and writes YAML and JSON documents that SOPS encrypted. It checks the whole file before it returns
// any value.
//
// The values of a document are encrypted with AES-256-GCM and one data key per file. The block "sops" of each document
// contains that key, encrypted for the public keys of people and agents, and a checksum of all values in their order.
//
// The package does no I/O. It runs no command, loads no plugin and asks no key service. The private keys are age
// identities and OpenPGP keys that the caller has read.
package sops

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Problem is a reason why a file is refused.
type Problem struct {
	Code  Code
	Line  int
	Field string // a path such as stringData.password; empty for the whole file
	What  string
	Fix   string
}

// Code identifies the kind of a problem.
type Code string

// These are the codes of problems.
const (
	BadBlock    Code = "block"       // the block "sops" is not well-formed.
	BadDocument Code = "document"    // a document does not belong to the file.
	Unsupported Code = "unsupported" // SOPS never writes this.
	NoKey       Code = "no-key"      // no private key fits.
	KeyServices Code = "key-service" // only key services could decrypt the file.
	BadValue    Code = "value"       // a value cannot be decrypted.
	InClear     Code = "clear"       // a value is in clear text where the rules of the file require encryption.
	Misplaced   Code = "misplaced"   // a value is encrypted where the rules of the file require clear text.
	BadMAC      Code = "mac"         // the checksum differs.
)

// Bounds of a file.
const (
	maxDepth    = 100
	maxKeys     = 100
	maxGroups   = 20
	maxPattern  = 1 << 10
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

// problems collects the problems of a file, up to a limit.
type problems []Problem

func (ps *problems) add(code Code, at *yaml.Node, field, what, fix string) {
	if len(*ps) < maxProblems {
		*ps = append(*ps, Problem{Code: code, Line: at.Line, Field: field, What: what, Fix: fix})
	}
}

func (ps *problems) addf(code Code, at *yaml.Node, field, fix, what string, args ...any) {
	ps.add(code, at, field, fmt.Sprintf(what, args...), fix)
}
