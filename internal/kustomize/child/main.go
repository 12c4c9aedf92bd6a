package child

import (
	"encoding/json"
	"fmt"
	"io"
	"log"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// Command is the only argument of a process that runs kustomize.
const Command = "kustomize-build-of-stack"

// answer is what the process writes.
type answer struct {
	Output kustomize.Output
	Open   string // the reason why the system does not forbid sockets, files and programs; "" if it does
}

// Main is the whole life of the process: it reads the [kustomize.Input] from in, and writes an answer to out.
func Main(in io.Reader, out io.Writer) error {
	if err := limit(); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	var a answer
	if err := forbid(); err != nil {
		a.Open = err.Error()
	}
	log.SetOutput(io.Discard) // the library writes warnings
	var input kustomize.Input
	if err := json.NewDecoder(in).Decode(&input); err != nil {
		return fmt.Errorf("read the files: %w", err)
	}
	a.Output = build(input)
	if err := json.NewEncoder(out).Encode(a); err != nil {
		return fmt.Errorf("write the documents: %w", err)
	}
	return nil
}
