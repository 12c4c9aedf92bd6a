package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/report"
)

// statusFlags are the flags of `status`.
type statusFlags struct {
	output, selector string
	kinds            []string
	notReady         bool
	watch            time.Duration
	depth            int
}

// onlyShows marks flags that affect only the output and not the selection of stacks.
const onlyShows = "only-shows"

// usualWatch is the default interval at which --watch checks a cloud, and leastWatch is the minimum.
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
		Short:             "Show every object with its status, or all details of some objects; changes nothing",
		Example: `  stackreeve status --not-ready
  stackreeve status --kind VirtualMachine -l tier=web,zone!=b
  stackreeve status VirtualMachine/web-1
  stackreeve status --watch=30s`,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "text", "text, wide, json or yaml")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only objects of these kinds, with commas between")
	flags.BoolVar(&f.notReady, "not-ready", false, "only objects that differ from their manifests, or cannot be used")
	flags.StringVarP(&f.selector, "selector", "l", "", "only objects whose labels match: label=value, label!=value, label in (a,b), label or !label, several with commas between")
	flags.IntVar(&f.depth, "depth", 0, "how many levels of parts are shown below each object; 0 for all")
	flags.DurationVarP(&f.watch, "watch", "w", 0, "check again at this interval (--watch=30s) until interrupted")
	flags.Lookup("watch").NoOptDefVal = usualWatch.String()
	for _, name := range []string{"kind", "not-ready", "selector", "watch", "depth"} {
		_ = flags.SetAnnotation(name, onlyShows, []string{"true"}) // the flag exists
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
		s.doubts, s.agent = doubts, agent()
		defer s.close()
		if f.watch > 0 {
			s.watch(cmd.Context(), f.watch)
			return nil
		}
		return s.once(cmd.Context())
	}
	return cmd
}

// interval reads the interval of --watch from the arguments and removes it there, because a flag with an optional value needs a = before the
// value.
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

// kindOnly treats a single kind in the arguments as --kind, as kubectl does.
func (f *statusFlags) kindOnly(names []string) []string {
	if len(names) != 1 || strings.Contains(names[0], "/") {
		return names
	}
	if _, err := describe.Find(names[0], nil); err != nil {
		return names
	}
	f.kinds = append(f.kinds, names[0])
	return nil
}

// objectNames also accepts names in the form of kubectl: a kind, followed by names of objects.
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

// filter checks the flags and returns the filter for objects.
//
// A kind that is not built in may be defined in the folder of a stack. This is known only after the folder was read. So errors about such
// kinds are returned as doubts, to be reported later.
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
		if d, err := describe.Find(kind, nil); err != nil {
			doubts[kind] = fmt.Errorf("--kind: %w", err)
		} else {
			kind = d.GVK.Kind
		}
		filter.Kinds = append(filter.Kinds, kind)
	}
	for _, name := range names {
		object, err := report.ParseObject(name)
		if err != nil {
			return filter, nil, err
		}
		if d, err := describe.Find(object.Kind, nil); err != nil {
			doubts[object.Kind] = err
		} else {
			object.Kind = d.GVK.Kind
		}
		filter.Objects = append(filter.Objects, object)
	}
	return filter, doubts, nil
}
