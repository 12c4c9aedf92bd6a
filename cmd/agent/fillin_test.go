package main

import (
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// objectID matches ID(KIND/NAME), which is replaced by the ID of one of Neutron's objects.
var objectID = regexp.MustCompile(`ID\((\w+)/([\w-]+)\)`)

// fillIn replaces each text of the form ID(KIND/NAME) in files of the script.
func (c *clouds) fillIn(ts *testscript.TestScript, _ bool, files []string) {
	for _, file := range files {
		text := objectID.ReplaceAllStringFunc(ts.ReadFile(file), func(wanted string) string {
			of := objectID.FindStringSubmatch(wanted)
			_, id, _ := c.object(ts, of[1], of[2])
			if id == "" {
				ts.Fatalf("there is no %s %s", of[1], of[2])
			}
			return id
		})
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}
