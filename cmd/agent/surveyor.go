package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/survey"
)

// surveyor checks stacks and shows the result.
type surveyor struct {
	*app
	stacks []config.Stack
	filter report.StatusFilter
	doubts map[string]error // errors about kinds, which are reported unless a stack defines the kind.
	output string
	text   func(io.Writer, *config.Stack) report.StatusText
	open   map[string]*survey.Survey
	seen   map[string]report.StatusView // the last view of each stack
	last   string                       // the last output for programs
	every  time.Duration                // zero without --watch
	agent  survey.Asker
}

func (a *app) surveyor(cmd *cobra.Command, stacks []config.Stack, filter report.StatusFilter, f statusFlags) *surveyor {
	return &surveyor{app: a, stacks: stacks, filter: filter, output: f.output, open: map[string]*survey.Survey{}, seen: map[string]report.StatusView{},
		text: func(w io.Writer, s *config.Stack) report.StatusText {
			text := report.StatusText{Text: a.text(), Depth: f.depth, Wide: f.output == "wide"}
			text.W, text.Approve = w, approveCommand(cmd, s.Name)
			if a.terminal != nil {
				text.Width, _ = size(a.terminal)
			}
			return text
		}}
}

func (s *surveyor) close() {
	for _, one := range s.open {
		one.Close()
	}
}

// once checks every stack. An error of one stack does not affect others.
func (s *surveyor) once(ctx context.Context) error {
	worst, err := s.check(ctx, s.out)
	if err != nil {
		return err
	}
	return ended(worst)
}

func (s *surveyor) check(ctx context.Context, out io.Writer) (worst plan.Outcome, err error) {
	var views []report.StatusView
	for i := range s.stacks {
		stack := &s.stacks[i]
		v, err := s.view(ctx, stack)
		if err != nil {
			if s.open[stack.Name] != nil && ctx.Err() != nil {
				return plan.Broken, err
			}
			worst = worse(worst, s.failed(among(s.stacks, stack), err))
			continue
		}
		worst = worse(worst, v.Outcome())
		if before, had := s.seen[stack.Name]; had && s.follows() {
			s.text(out, stack).Changes(before, v, s.filter, time.Now())
		} else {
			s.show(out, stack, v, len(views) > 0)
		}
		s.seen[stack.Name] = v
		views = append(views, v)
	}
	switch s.output {
	case "json":
		err = report.JSON(out, report.StatusDocument(views, s.filter))
	case "yaml":
		err = report.YAML(out, report.StatusDocument(views, s.filter))
	}
	if err != nil || len(views) < len(s.stacks) {
		return worst, err
	}
	for _, kind := range slices.Sorted(maps.Keys(s.doubts)) {
		if !slices.ContainsFunc(views, func(v report.StatusView) bool { return v.Has(kind) }) {
			return worse(worst, s.fail(s.doubts[kind])), nil
		}
	}
	for _, name := range s.filter.Objects {
		if !name.In(views) {
			worst = worse(worst, s.fail(name.Missing(views)))
		}
	}
	return worst, nil
}

// show prints a stack for people. If objects are requested by name, it describes them in the stacks that have them.
func (s *surveyor) show(out io.Writer, stack *config.Stack, v report.StatusView, further bool) {
	if s.output != "text" && s.output != "wide" {
		return
	}
	if len(s.filter.Objects) > 0 && len(s.filter.Select(v.Objects)) == 0 {
		return
	}
	if further {
		fmt.Fprintln(out)
	}
	if len(s.filter.Objects) > 0 {
		s.text(out, stack).Describe(v, s.filter)
		return
	}
	s.text(out, stack).Stack(v, s.filter)
}

func (s *surveyor) view(ctx context.Context, stack *config.Stack) (report.StatusView, error) {
	one := s.open[stack.Name]
	if one == nil {
		made, err := survey.New(s.opener(), stack, s.agent)
		if err != nil {
			return report.StatusView{}, err
		}
		one, s.open[stack.Name] = made, made
	}
	return one.Compare(ctx, s.filter)
}

// watch checks repeatedly until ctx ends, which is not a failure. On a terminal, the new picture replaces the old one. On other outputs, the
// changes are appended.
func (s *surveyor) watch(ctx context.Context, every time.Duration) {
	s.every = every
	var picture report.Picture
	for first := true; ; first = false {
		var b bytes.Buffer
		if _, err := s.check(ctx, &b); ctx.Err() != nil {
			return
		} else if err != nil {
			s.fail(err)
		}
		s.redraw(&picture, b.String(), first)
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// follows reports whether only changes are shown.
func (s *surveyor) follows() bool { return s.every > 0 && s.terminal == nil }

func (s *surveyor) redraw(picture *report.Picture, text string, first bool) {
	now := time.Now().Format(time.DateTime)
	switch {
	case s.output == "json" || s.output == "yaml":
		if text == s.last {
			return
		}
		s.last = text
	case s.terminal != nil:
		text += fmt.Sprintf("\nchecked at %s, every %s; ctrl-c ends this\n", now, s.every)
		width, height := size(s.terminal)
		text = picture.Next(text, width, height)
	case first:
		text += fmt.Sprintf("\nchecked at %s, every %s; changes follow\n", now, s.every)
	}
	_, _ = io.WriteString(s.out, text)
}
