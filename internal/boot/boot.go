// Package boot contains the script that runs first on each machine of a cluster, before etcd or M3DB. The script
// downloads the program. If that fails, the script answers on the program's port with the reason. Other packages
// decide which program is downloaded and what happens afterwards.
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

// Filled fills in a machine's script. @BOOT@ becomes the common part of all scripts, which uses ME, WANTED, HERE and
// UNIT of the script. @WANTED@ becomes the wanted values as JSON, with their braces escaped for the template of a
// group. @GIVEN@ becomes the secrets in base64.
func Filled(template string, wanted map[string]any, given string) string {
	text, _ := json.Marshal(wanted) // plain values
	return strings.NewReplacer("@BOOT@", strings.TrimSpace(script), "@WANTED@", strings.ReplaceAll(string(text), "{{", "{{'{{'}}"), "@GIVEN@", given).Replace(template)
}

// Unready is the error that the boot script answers on a machine, and not the program.
type Unready struct {
	Why string // the reason why the program cannot start, safe to print; "" if nothing has failed
}

// Error implements error.
func (u Unready) Error() string {
	if u.Why == "" {
		return "its machine prepares the program"
	}
	return "its machine cannot start the program: " + u.Why
}

// Unwrap returns ErrSilent, because the program itself does not answer.
func (Unready) Unwrap() error { return ErrSilent }

// ErrSilent is the error that the machine's program does not answer.
var ErrSilent = errors.New("does not answer")

const longest = 300

// Answer parses an answer of a machine. It returns an [Unready] if the boot script sent the answer, and nil
// otherwise.
func Answer(status int, body []byte) error {
	var said struct{ State, Message string }
	if status != http.StatusServiceUnavailable || json.Unmarshal(body, &said) != nil || said.State == "" {
		return nil
	}
	return Unready{printable.Clip(printable.Line(said.Message), longest)}
}

// Why returns the reason in an [Unready] error, or "".
func Why(err error) string {
	var u Unready
	errors.As(err, &u)
	return u.Why
}
