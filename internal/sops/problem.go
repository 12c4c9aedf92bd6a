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
