// Package boot holds the script that runs first on each machine of a cluster, before etcd or M3DB. The script downloads the program. If that fails, it
// answers on the program's port with the reason. Other packages decide which program that is, and what follows.
package boot

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

//go:embed boot.py
var script string

// Filled fills in a machine's script. @BOOT@ becomes the part that all scripts have in common, which needs ME, WANTED, HERE and UNIT of the script.
// @WANTED@ becomes the wanted values as JSON, whose braces are kept apart for the template of a group. @GIVEN@ becomes the secrets in
// base64.
func Filled(template string, wanted map[string]any, given string) string {
	text, _ := json.Marshal(wanted) // plain values
	return strings.NewReplacer("@BOOT@", strings.TrimSpace(script), "@WANTED@", strings.ReplaceAll(string(text), "{{", "{{'{{'}}"), "@GIVEN@", given).Replace(template)
}

// Unready says that a machine answers in place of its program.
type Unready struct {
	Why string // it cannot begin, as the machine says, in words that are safe to print; "" while nothing has failed
}

// Error implements error.
func (u Unready) Error() string {
	if u.Why == "" {
		return "its machine prepares"
	}
	return "its machine cannot begin: " + u.Why
}

// Unwrap has it count as not answered.
func (Unready) Unwrap() error { return ErrSilent }

// ErrSilent says that the machine's program does not answer.
var ErrSilent = errors.New("does not answer")

const longest = 300

// Answer reads an answer of a machine; nil means that it is none of a machine that prepares.
func Answer(status int, body []byte) error {
	var said struct{ State, Message string }
	if status != http.StatusServiceUnavailable || json.Unmarshal(body, &said) != nil || said.State == "" {
		return nil
	}
	return Unready{printable.Clip(printable.Line(said.Message), longest)}
}

// Why is the reason that an error has of a machine; "" without one.
func Why(err error) string {
	var u Unready
	errors.As(err, &u)
	return u.Why
}
