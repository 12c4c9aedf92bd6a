package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

// once runs one pass of every stack. The argument again returns the command that carries out a held plan of a stack, without the hash at its end.
func (a *app) once(cmd *cobra.Command, opener session.Opener, stacks []config.Stack, approved string, again func(stack string) string) error {
	several := len(stacks) > 1
	text := func(s *config.Stack) report.Text {
		text := a.text()
		text.Approve = again(s.Name)
		return text
	}
	once := &service.Once{
		Opener: opener, Stacks: stacks, Approved: approved, Refuse: a.waitsForFolders,
		Show: func(s *config.Stack, last func() source.Revision) service.Viewer {
			return a.watch(s.Name, last, text(s), several)
		},
		Ended: func(s *config.Stack, run report.Run) plan.Outcome { return a.print(text(s), run, several) },
	}
	outcomes, err := once.Run(cmd.Context())
	worst := a.fail(err)
	for _, o := range outcomes {
		worst = worse(worst, o)
	}
	return ended(worst)
}

// waitsForFolders returns an error if a stack depends on a document with unknown folders. Then the stack is not carried out.
func (a *app) waitsForFolders(s *config.Stack) error {
	for _, name := range s.Spec.DependsOn {
		if slices.Contains(a.unlisted, name) {
			return fmt.Errorf("nothing is carried out: the stack depends on %s, whose folders are not known", name)
		}
	}
	return nil
}

func (a *app) watch(stack string, last func() source.Revision, text report.Text, among bool) service.Viewer {
	if a.terminal == nil || among || a.verbose || os.Getenv("TERM") == "dumb" {
		prefix := ""
		if among {
			prefix = stack + ": "
		}
		return report.NewLines(a.out, prefix, last, text)
	}
	return report.NewLive(a.out, func() (int, int) { return size(a.terminal) }, last, text)
}

func size(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}

// print prints the end of a run of `once`.
func (a *app) print(text report.Text, run report.Run, among bool) plan.Outcome {
	stack := ""
	if among {
		stack = run.Stack
	}
	switch {
	case run.Refused != nil:
		return a.failed(stack, run.Refused.Problems)
	case run.Err != nil:
		return a.failed(stack, run.Err)
	}
	text.Pass(*run.Pass)
	return run.Outcome()
}
