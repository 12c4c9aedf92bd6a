package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/policy"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// ErrNone is the error of [Load] if neither files nor settings define a stack.
var ErrNone = errors.New("no stack is configured")

// Load reads the Stack documents of the files and applies the settings to them. Without files, it makes a stack of
// the settings. If the configuration is wrong, the error is a [manifest.Problems] with all problems.
func Load(files []string, settings Settings) ([]Stack, error) {
	var stacks []Stack
	var policies []policy.Policy
	var notifications []notify.Rule
	var agents []Agents
	var shared []documentFiles
	var problems manifest.Problems
	for _, file := range files {
		f, wrong, err := readFile(file)
		if err != nil {
			return nil, err
		}
		stacks, policies, problems = append(stacks, f.stacks...), append(policies, f.policies...), append(problems, wrong...)
		notifications, agents, shared = append(notifications, f.notifications...), append(agents, f.agents...), append(shared, f.files...)
	}
	if len(problems) > 0 {
		return nil, problems.Sorted()
	}
	if problems = depends(stacks); len(problems) > 0 {
		return nil, problems.Sorted()
	}
	documents := stacks
	stacks, problems = settings.over(stacks, len(files) > 0)
	if problems = append(problems, settings.depends(stacks, documents)...); len(problems) > 0 {
		return nil, problems.Sorted()
	}
	for i := range stacks {
		stacks[i].policies, stacks[i].notifications, stacks[i].shared = policies, notifications, shared
		if len(agents) > 0 {
			stacks[i].agents = &agents[0]
		}
		problems = append(problems, stacks[i].complete()...)
	}
	problems = slices.Concat(problems, twice(stacks), policiesTwice(policies), notificationsTwice(notifications), agentsTwice(agents))
	if len(problems) > 0 {
		return nil, problems.Sorted()
	}
	if len(stacks) == 0 {
		return nil, ErrNone
	}
	return stacks, nil
}

// content contains everything that was read from one file.
type content struct {
	stacks        []Stack
	policies      []policy.Policy
	notifications []notify.Rule
	agents        []Agents
	files         []documentFiles // the files that notifications and agents name
}

// readFile reads every document of a file.
func readFile(file string) (c content, problems manifest.Problems, err error) {
	text, err := localfile.ReadNamed(file, localfile.Config)
	if err != nil {
		return c, nil, fmt.Errorf("read the configuration: %w; %s", err, missingFix(err))
	}
	loaded, err := manifest.LoadParts([]manifest.Part{{Name: file, Text: bytes.NewReader(text)}}, manifest.Options{Kinds: gvks()})
	if err != nil && !errors.As(err, &problems) {
		return c, nil, fmt.Errorf("read %s: %w", file, err)
	}
	for _, ignored := range loaded.Ignored {
		problems = append(problems, manifest.Problem{Origin: ignored.Origin, What: "is not a Stack: " + ignored.Why,
			Fix: "a configuration file holds only documents with apiVersion: " + GVK.APIVersion() + " and kind: " + GVK.Kind + ", " + PolicyGVK.Kind + ", " + NotificationGVK.Kind + " or " + AgentsGVK.Kind})
	}
	for i := range loaded.Objects {
		problems = append(problems, c.add(&loaded.Objects[i], file)...)
	}
	if len(loaded.Objects) == 0 && len(problems) == 0 {
		problems = append(problems, manifest.Problem{Origin: manifest.Origin{File: file}, What: "holds no Stack",
			Fix: "write a document with apiVersion: " + GVK.APIVersion() + " and kind: " + GVK.Kind})
	}
	return c, problems, nil
}

func (c *content) add(obj *manifest.Object, file string) []manifest.Problem {
	if obj.Key.Kind == PolicyGVK.Kind {
		p, wrong := decodePolicy(obj)
		c.policies = append(c.policies, p)
		return wrong
	}
	if obj.Key.Kind == NotificationGVK.Kind {
		rule, files, wrong := decodeNotification(obj, filepath.Dir(file))
		c.notifications, c.files = append(c.notifications, rule), append(c.files, documentFiles{obj.Key, obj.Origin, obj.Where, files})
		return wrong
	}
	if obj.Key.Kind == AgentsGVK.Kind {
		a, files, wrong := decodeAgents(obj, filepath.Dir(file))
		c.agents, c.files = append(c.agents, a), append(c.files, documentFiles{obj.Key, obj.Origin, obj.Where, files})
		return wrong
	}
	s, wrong := decode(obj)
	s.Spec.below(filepath.Dir(file))
	c.stacks = append(c.stacks, s)
	return wrong
}

// missingFix returns advice on how to make a configuration readable.
func missingFix(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "correct --config or $STACKREEVE_CONFIG, or write the file; it needs apiVersion, kind: " + GVK.Kind + ", metadata.name and spec.source.url"
	case errors.Is(err, fs.ErrPermission):
		return "make it readable for the user that runs this program"
	}
	return "give the path of a file with documents of kind: " + GVK.Kind
}

func decode(obj *manifest.Object) (Stack, []manifest.Problem) {
	var body Body
	problems := obj.Decode(&body)
	s := Stack{Name: obj.Key.Name, Origin: obj.Origin, Spec: body.Spec, where: obj.Where}
	for _, f := range s.check() {
		if slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Field == f.field }) {
			continue
		}
		problems = append(problems, manifest.Problem{Origin: obj.Where(f.field), Key: obj.Key, Field: f.field, What: f.what})
	}
	return s, problems
}

type finding struct{ field, what string }

var stackName = pattern.Of(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// check checks the rules that concern several fields.
func (s *Stack) check() (found []finding) {
	add := func(field, what string) { found = append(found, finding{field, what}) }
	if what := wrongName(s.Name); what != "" {
		add("metadata.name", what)
	}
	if text := s.Spec.Source.Poll; text != "" {
		if _, err := schedule.Parse(text); err != nil {
			add("spec.source.poll", err.Error())
		}
	}
	if text := s.Spec.Sync.DriftCheck; text != "" {
		if _, err := schedule.Parse(text); err != nil {
			add("spec.sync.driftCheck", err.Error())
		}
	}
	s.Spec.Source.checkSelection(add)
	s.Spec.Source.checkLibraries(add)
	s.Spec.Source.checkVerify(add)
	s.Spec.Events.check(add)
	s.Spec.Source.checkOverlays(add)
	s.Spec.Source.checkValues(add)
	s.checkFolders(add)
	s.Spec.checkStores(add)
	s.Spec.Sync.windows("", add)
	if limit := s.Spec.Sync.MaxDeletes; limit != nil {
		if _, err := guard.ParseLimit(limit.String()); err != nil {
			add("spec.sync.maxDeletes", err.Error())
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Spec.Sync.MaxDeletesPerKind)) {
		if _, err := guard.ParseLimit(s.Spec.Sync.MaxDeletesPerKind[kind].String()); err != nil {
			add(perKind+"."+kind, err.Error())
		}
	}
	if app := s.Spec.Source.Auth.GitHubApp; app != nil {
		checkAddress(add, "spec.source.auth.githubApp.apiURL", app.APIURL)
	}
	if o := s.Spec.Defaults.S3; o != nil {
		checkAddress(add, "spec.defaults.s3.endpoint", o.Endpoint)
	}
	s.Spec.Report.check(add)
	if s.Spec.Source.IsArtifact() {
		s.Spec.checkArtifact(add)
		return found
	}
	s.Spec.Source.checkGit(add)
	none := func(context.Context) (string, error) { return "", nil }
	checkRepo(add, "spec.source.", s.Spec.repo("", none))
	return found
}

// checkRepo reports problems of a repository. in is the path of its fields in the document.
func checkRepo(add func(field, what string), in string, repo source.Config) {
	_, err := source.New(repo, nil)
	addAll(add, in, err)
}

// addAll reports the problems in an error of a source. Each is one line that begins with its field.
func addAll(add func(field, what string), in string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		field, what, _ := strings.Cut(line, ": ")
		add(in+strings.TrimPrefix(field, "source."), what)
	}
}

// complete sets the fields that are left out.
func (s *Stack) complete() manifest.Problems {
	poll, err1 := schedule.Parse(cmp.Or(s.Spec.Source.Poll, "@every 1m"))
	drift, err2 := schedule.Parse(cmp.Or(s.Spec.Sync.DriftCheck, "@every 5m"))
	pulls, err5 := schedule.Parse(cmp.Or(s.Spec.Report.Poll, "@every 1m"))
	s.PullPoll = pulls
	s.Spec.Report.fill()
	s.Spec.Source.Auth.fill()
	for i := range s.Spec.Source.Libraries {
		s.Spec.Source.Libraries[i].Auth.fill()
	}
	text := "30%"
	if s.Spec.Sync.MaxDeletes != nil {
		text = s.Spec.Sync.MaxDeletes.String()
	}
	limit, err3 := guard.ParseLimit(text)
	kinds, err4 := parseLimits(s.Spec.Sync.MaxDeletesPerKind)
	s.Poll, s.DriftCheck, s.Limits = poll, drift, guard.Limits{All: limit, Kinds: kinds, DataLoss: s.Spec.Sync.AllowDataLoss}
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return manifest.Problems{{Origin: s.Origin, What: err.Error()}}
	}
	return s.unknownEntries()
}

// fill sets the fields that are left out.
func (a *Auth) fill() {
	if app := a.GitHubApp; app != nil && app.APIURL == "" {
		filled := *app
		filled.APIURL = DefaultAPI
		a.GitHubApp = &filled
	}
}

// twice reports stacks with the same name, because owner marks, statuses and metrics could not distinguish them.
func twice(stacks []Stack) (problems manifest.Problems) {
	for i, s := range stacks {
		same := slices.IndexFunc(stacks[:i], func(o Stack) bool { return o.Name == s.Name })
		if same >= 0 {
			problems = append(problems, manifest.Problem{Origin: s.Origin, Field: "metadata.name",
				What: fmt.Sprintf("the stack %s is also configured at %s", s.Name, stacks[same].Origin), Fix: "rename or remove one of the two"})
		}
	}
	return problems
}
