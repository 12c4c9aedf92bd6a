package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// statusFlags are what `status` is asked for.
type statusFlags struct {
	output, selector string
	kinds            []string
	notReady         bool
	watch            time.Duration
	depth            int
}

// onlyShows marks flags that say what is shown, and nothing about a stack.
const onlyShows = "only-shows"

// Bounds on how often a cloud is checked for somebody who watches.
const (
	usualWatch = 10 * time.Second
	leastWatch = time.Second
)

func (a *app) status() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:     "status [KIND/NAME...]",
		Aliases: []string{"get"},

		ValidArgsFunction: a.completeObjects,
		Short:             "Show every object with its status, or everything about some; changes nothing",
		Example: `  stackreeve status --not-ready
  stackreeve status --kind VirtualMachine -l tier=web,zone!=b
  stackreeve status VirtualMachine/web-1
  stackreeve status --watch=30s`,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "text", "text, wide, json or yaml")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only objects of these kinds, with commas between")
	flags.BoolVar(&f.notReady, "not-ready", false, "only objects that are not as they should be, or cannot be used")
	flags.StringVarP(&f.selector, "selector", "l", "", "only objects whose labels match: label=value, label!=value, label in (a,b), label or !label, several with commas between")
	flags.IntVar(&f.depth, "depth", 0, "how many levels of what objects consist of are shown; 0 for all")
	flags.DurationVarP(&f.watch, "watch", "w", 0, "check again at this interval (--watch=30s) until interrupted")
	flags.Lookup("watch").NoOptDefVal = usualWatch.String()
	for _, name := range []string{"kind", "not-ready", "selector", "watch", "depth"} {
		_ = flags.SetAnnotation(name, onlyShows, []string{"true"}) // there is such a flag
	}
	agent := askerFlags(cmd)
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		names = f.kindOnly(objectNames(f.interval(names)))
		filter, doubts, err := f.filter(names)
		if err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		s := a.surveyor(cmd, stacks, filter, f)
		s.doubts, s.agent = doubts, agent
		defer s.close()
		if f.watch > 0 {
			s.watch(cmd.Context(), f.watch)
			return nil
		}
		return s.once(cmd.Context())
	}
	return cmd
}

// interval takes the interval of --watch from the arguments: flags that need no value have it behind a = only.
func (f *statusFlags) interval(names []string) []string {
	if f.watch == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		every, err := time.ParseDuration(name)
		if err == nil {
			f.watch = every
		}
		return err == nil
	})
}

// kindOnly takes a single kind from the arguments, as kubectl does, for --kind.
func (f *statusFlags) kindOnly(names []string) []string {
	if len(names) != 1 || strings.Contains(names[0], "/") {
		return names
	}
	if _, err := find(names[0], nil); err != nil {
		return names
	}
	f.kinds = append(f.kinds, names[0])
	return nil
}

// objectNames are names as kubectl takes them, too: a kind, and names of objects of it.
func objectNames(names []string) []string {
	if len(names) < 2 || strings.Contains(strings.Join(names, ""), "/") {
		return names
	}
	out := make([]string, 0, len(names)-1)
	for _, name := range names[1:] {
		out = append(out, names[0]+"/"+name)
	}
	return out
}

// filter checks the flags and says which objects are meant.
//
// Kinds that are not the agent's own may be defined by what a stack's folder holds: whether they are is known when that
// was read, so what is wrong with the others is for then.
func (f statusFlags) filter(names []string) (filter report.StatusFilter, doubts map[string]error, err error) {
	doubts = map[string]error{}
	if err := oneOf("--output", f.output, "text", "wide", "json", "yaml"); err != nil {
		return filter, nil, err
	}
	if f.watch != 0 && f.watch < leastWatch {
		return filter, nil, fmt.Errorf("--watch: %s is too short; give %s or more", f.watch, leastWatch)
	}
	filter.NotReady = f.notReady
	if filter.Labels, err = report.ParseSelector(f.selector); err != nil {
		return filter, nil, fmt.Errorf("--selector: %w", err)
	}
	for _, kind := range f.kinds {
		if d, err := find(kind, nil); err != nil {
			doubts[kind] = fmt.Errorf("--kind: %w", err)
		} else {
			kind = d.gvk.Kind
		}
		filter.Kinds = append(filter.Kinds, kind)
	}
	for _, name := range names {
		object, err := report.ParseObject(name)
		if err != nil {
			return filter, nil, err
		}
		if d, err := find(object.Kind, nil); err != nil {
			doubts[object.Kind] = err
		} else {
			object.Kind = d.gvk.Kind
		}
		filter.Objects = append(filter.Objects, object)
	}
	return filter, doubts, nil
}

// surveyor checks stacks and shows what it finds.
type surveyor struct {
	*app
	stacks []config.Stack
	filter report.StatusFilter
	doubts map[string]error // what is wrong with kinds, unless a stack defines them
	output string
	text   func(io.Writer, *config.Stack) report.StatusText
	open   map[string]*survey
	seen   map[string]report.StatusView // by stack, when it was looked at last
	last   string                       // what was written of it for programs
	every  time.Duration                // 0 unless it is watched
	agent  *asker
}

func (a *app) surveyor(cmd *cobra.Command, stacks []config.Stack, filter report.StatusFilter, f statusFlags) *surveyor {
	return &surveyor{app: a, stacks: stacks, filter: filter, output: f.output, open: map[string]*survey{}, seen: map[string]report.StatusView{},
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
		one.close()
	}
}

// once checks every stack; one that fails stops no other.
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
		worst = worse(worst, v.Plan.Outcome())
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

// show writes what was found of a stack for people; of the objects that are asked
// for by name everything, in the stacks that have them.
func (s *surveyor) show(out io.Writer, stack *config.Stack, v report.StatusView, further bool) {
	if s.output != "text" && s.output != "wide" {
		return
	}
	if len(s.filter.Objects) > 0 && len(s.filter.Of(v.Objects)) == 0 {
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
		w := s.wiring(s.logger(false))
		made, err := w.survey(stack, s.agent)
		if err != nil {
			return report.StatusView{}, err
		}
		one, s.open[stack.Name] = made, made
	}
	return one.compare(ctx, s.filter)
}

// watch checks again and again until ctx ends, which is no failure. On a terminal the new picture takes the place of the old one; elsewhere
// what has changed follows.
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

// follows reports whether a watcher is shown changes only.
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
		text += fmt.Sprintf("\nlooked at %s, every %s; ctrl-c ends it\n", now, s.every)
		width, height := size(s.terminal)
		text = picture.Next(text, width, height)
	case first:
		text += fmt.Sprintf("\nlooked at %s, every %s; changes follow\n", now, s.every)
	}
	_, _ = io.WriteString(s.out, text)
}
