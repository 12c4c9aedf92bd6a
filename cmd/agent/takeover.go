package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/takeover"
)

// takeoverFlags say what other tools manage.
type takeoverFlags struct{ terraform, heat, removals string }

func (f *takeoverFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.terraform, "terraform-state", "", "only what this state of Terraform's, version 4, names; - is standard input")
	flags.StringVar(&f.heat, "heat-resources", "", "only what this list of a Heat stack's resources, in JSON, names; - is standard input")
	flags.StringVar(&f.removals, "state-rm", "", "with --terraform-state, a new file for the lines of terraform state rm, instead of standard error")
}

// taken is what another tool manages; nil where none is asked about.
type taken struct {
	tool, file string
	list       []takeover.Declared
	others     int // resources of other providers
	removals   string
}

func (f *takeoverFlags) read(stdin io.Reader) (*taken, error) {
	switch {
	case f.terraform != "" && f.heat != "":
		return nil, errors.New("--heat-resources: give it, or --terraform-state, and not both")
	case f.removals != "" && f.terraform == "":
		return nil, errors.New("--state-rm: there is nothing to write without --terraform-state")
	case f.terraform == "" && f.heat == "":
		return nil, nil
	}
	if _, err := os.Lstat(f.removals); f.removals != "" && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--state-rm: %s exists already, so nothing is written; give another name", f.removals)
	}
	t, flag := &taken{tool: "Terraform", file: f.terraform, removals: f.removals}, "--terraform-state"
	if f.heat != "" {
		t.tool, t.file, flag = "Heat", f.heat, "--heat-resources"
	}
	text, err := namedOrPiped(t.file, stdin)
	switch {
	case err != nil:
	case f.heat != "":
		t.list, err = takeover.Heat(text)
	default:
		t.list, t.others, err = takeover.Terraform(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", flag, t.file, err)
	}
	return t, nil
}

func namedOrPiped(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(stdin, takeover.Most+1)) // one more is refused
	}
	return localfile.ReadNamed(file, takeover.Most)
}

// which says of what there is nothing to write.
func (t *taken) which() string {
	if t == nil {
		return ""
	}
	return "that " + t.tool + " names and "
}

// chosen are the objects to be written; nil for all.
func (t *taken) chosen() []export.Chosen {
	if t == nil {
		return nil
	}
	list := make([]export.Chosen, 0, len(t.list))
	for _, d := range t.list {
		if d.Stays == "" && !d.Part {
			list = append(list, export.Chosen{Kind: d.Kind, Name: d.Name, ID: d.ID, Uses: d.Uses})
		}
	}
	return list
}

// report says what stays with the other tool, and what that has to forget.
func (t *taken) report(w io.Writer, r export.Result) error {
	if t == nil {
		return nil
	}
	moved := map[string]bool{}
	var stays, forget []string
	adopted, adoptsAny := adoptions(r), map[string]bool{}
	for _, o := range r.Objects {
		adoptsAny[o.Key.Kind] = adoptsAny[o.Key.Kind] || o.Adopted
	}
	for _, d := range t.list {
		switch {
		case d.Stays != "":
			stays = append(stays, d.Address+": "+d.Stays)
		case t.tool == "Heat" && d.Part:
			if adoptsAny[d.Kind] { // the list does not say which object it is a part of
				forget = append(forget, d.Address)
			}
		case adopted(d):
			moved[d.Address] = true
			forget = append(forget, d.Address)
		default:
			stays = append(stays, d.Address+": its "+d.Kind+" is not adopted, for the reason above")
		}
	}
	lines(w, "These stay with "+t.tool+":", stays)
	if t.others > 0 {
		fmt.Fprintf(w, "Resources of other providers, which are not looked at: %d.\n", t.others)
	}
	if t.tool == "Heat" {
		lines(w, "When a stack has adopted these, give them deletion_policy: retain in Heat's template, and update its stack before you delete it:", forget)
		return nil
	}
	commands := takeover.Removals(t.list, moved)
	if t.removals != "" {
		return writeCommands(t.removals, commands)
	}
	lines(w, "When a stack has adopted these, remove them from Terraform's configuration, and from its state with:", commands)
	return nil
}

func lines(w io.Writer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, line := range list {
		fmt.Fprintln(w, "  "+printable.Line(line))
	}
}

func writeCommands(file string, commands []string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("--state-rm: %w", err)
	}
	_, err = io.WriteString(f, strings.Join(append(commands, ""), "\n"))
	return errors.Join(err, f.Close())
}

// adoptions reports of what is declared whether its object, or that it is a part of, is adopted.
func adoptions(r export.Result) func(takeover.Declared) bool {
	type object struct{ kind, id string }
	byID, byKind := map[object]bool{}, map[string][]export.Object{}
	for _, o := range r.Objects {
		if o.Adopted {
			byID[object{o.Key.Kind, o.ID}] = true
			byKind[o.Key.Kind] = append(byKind[o.Key.Kind], o)
		}
	}
	return func(d takeover.Declared) bool {
		isOf := func(o export.Object) bool { return d.ID != "" && strings.HasSuffix(o.ID, "/"+d.ID) }
		return byID[object{d.Kind, d.ID}] || slices.ContainsFunc(byKind[d.Kind], isOf) || len(d.Uses) > 0 && slices.ContainsFunc(byKind[d.Kind], func(o export.Object) bool {
			return !slices.ContainsFunc(d.Uses, func(id string) bool { return !slices.Contains(o.Uses, id) })
		})
	}
}
