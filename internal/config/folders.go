package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// MaxFolders is the maximum number of stacks for source.paths of one document.
const MaxFolders = 1000

// folderWord is the placeholder for the folder in fields such as spec.cloud and spec.project.
const folderWord = "{folder}"

// PerFolder reports whether the document describes one stack for each folder that source.paths matches. Then the
// document itself is not a stack.
func (s *Stack) PerFolder() bool { return s.Spec.Source.Paths != "" }

// Of returns the name of the document from which the stack of a folder was made. It returns "" for other stacks.
func (s *Stack) Of() string { return s.of }

// Gone reports whether the folder of the stack no longer exists: see [InFolders].
func (s *Stack) Gone() bool { return s.gone }

// checkFolders reports mistakes in source.paths and in the fields that depend on it.
func (s *Stack) checkFolders(add func(field, what string)) {
	src := &s.Spec.Source
	if src.Paths == "" {
		if strings.Contains(s.Spec.Cloud, folderWord) {
			add("spec.cloud", folderWord+" works only with spec.source.paths; set spec.source.paths, or name an entry of clouds.yaml")
		}
		return
	}
	if src.Path != "" {
		add("spec.source.paths", "is given together with path; remove one of them")
	}
	if why := manifest.FolderPattern(src.Paths); why != "" {
		add("spec.source.paths", fmt.Sprintf("%q %s", src.Paths, why))
	}
}

// Unlisted is a document whose folders are unknown, with the reason.
type Unlisted struct {
	Document *Stack
	Err      error
}

// Error implements error.
func (u Unlisted) Error() string {
	return fmt.Sprintf("stack %s: spec.source.paths: %s", u.Document.Name, u.Err)
}

// Unwrap returns the reason why the folders are unknown.
func (u Unlisted) Unwrap() error { return u.Err }

// InFolders replaces each document with source.paths by one stack for each of its folders. list returns the folders
// below base that match pattern. The name of a stack is the name of its document, a dash, and the path of its folder,
// with a dash for each slash. A folder whose name is not valid is a problem and becomes no stack.
//
// If list returns an error for a document, the document is unlisted. list may also return the folders that were known
// last; then their stacks remain. Other documents are not affected. If a stack depends on a document with unknown
// folders, the dependency is not replaced.
//
// If several stacks would have the same name, a stack without source.paths remains. If there is none, the stack that is
// already served under that name remains, as served reports. The others are problems.
//
// If a stack was named on the command line and its folder does not exist, keepGone decides: if it is true, the stack
// is made with [Stack.Gone].
func InFolders(documents []Stack, keepGone bool, served func(*Stack) bool, list func(document *Stack, base, pattern string) ([]string, error)) (stacks []Stack, problems manifest.Problems, unlisted []Unlisted) {
	made := map[string][]string{} // names of stacks, by the name of their document
	for i := range documents {
		s := &documents[i]
		if !s.PerFolder() {
			stacks = append(stacks, *s)
			continue
		}
		base, pattern := manifest.SplitFolders(s.Spec.Source.Paths)
		folders, err := list(s, base, pattern)
		if err != nil {
			unlisted = append(unlisted, Unlisted{s, err})
		}
		if err != nil && len(folders) == 0 {
			continue
		}
		made[s.Name] = []string{}
		for _, folder := range folders {
			one := s.in(base, folder)
			if s.only != "" && one.Name != s.only {
				continue
			}
			if what := wrongName(one.Name); what != "" {
				problems = append(problems, one.folderProblem(what, "rename the folder"))
				continue
			}
			stacks, made[s.Name] = append(stacks, one), append(made[s.Name], one.Name)
		}
		if s.only != "" && len(made[s.Name]) == 0 && len(problems) == 0 {
			if !keepGone || strings.Contains(pattern, "/") {
				problems = append(problems, manifest.Problem{Origin: manifest.Origin{File: "--stack"}, What: fmt.Sprintf("there is no stack %s: no folder that spec.source.paths of the stack %s matches has that name", s.only, s.Name), Fix: "its folders are those of " + s.Spec.Source.Paths})
				continue
			}
			one := s.in(base, strings.TrimPrefix(s.only, s.Name+"-"))
			one.gone = true
			stacks = append(stacks, one)
		}
	}
	stacks, twice := uniqueFolders(stacks, served)
	for i := range stacks {
		stacks[i].dependOnFolders(made)
	}
	return stacks, append(problems, twice...).Sorted(), unlisted
}

// in returns the stack of a folder.
func (s *Stack) in(base, folder string) Stack {
	one := *s
	name := strings.ReplaceAll(folder, "/", "-")
	one.Name, one.of = s.Name+"-"+name, s.Name
	one.Spec.Source.Path, one.Spec.Source.Paths = path.Join(base, folder), ""
	one.Spec.Source.Overlays = slices.Clone(s.Spec.Source.Overlays)
	for i, overlay := range one.Spec.Source.Overlays {
		one.Spec.Source.Overlays[i] = strings.ReplaceAll(overlay, folderWord, folder)
	}
	one.Spec.Source.Values = maps.Clone(s.Spec.Source.Values)
	for key, value := range one.Spec.Source.Values {
		one.Spec.Source.Values[key] = strings.ReplaceAll(value, folderWord, name)
	}
	one.Spec.Source.ValuesFrom = slices.Clone(s.Spec.Source.ValuesFrom)
	for i := range one.Spec.Source.ValuesFrom {
		file := &one.Spec.Source.ValuesFrom[i].File
		*file = strings.ReplaceAll(*file, folderWord, folder)
	}
	one.Spec.SecretStores = slices.Clone(s.Spec.SecretStores)
	for i, store := range one.Spec.SecretStores {
		one.Spec.SecretStores[i] = store.inFolder(name)
	}
	one.Spec.Cloud = strings.ReplaceAll(s.Spec.Cloud, folderWord, name)
	one.Spec.Project = strings.ReplaceAll(s.Spec.Project, folderWord, name)
	return one
}

// wrongName returns the reason why a text cannot be a stack's name, or "".
func wrongName(name string) string {
	if len(name) > ownertext.MaxStackName || !stackName.MatchString(name) {
		return fmt.Sprintf("%q cannot be a stack's name; use at most %d lower case letters, digits and dashes, beginning and ending with a letter or digit", name, ownertext.MaxStackName)
	}
	return ""
}

func (s *Stack) folderProblem(what, fix string) manifest.Problem {
	return manifest.Problem{Origin: s.Origin, Key: manifest.Key{Group: GVK.Group, Kind: GVK.Kind, Name: s.of}, Field: "spec.source.paths",
		What: fmt.Sprintf("the folder %s: %s", s.Spec.Source.Path, what), Fix: fix}
}

// uniqueFolders leaves out the stack of a folder if another stack has the same name, because marks could not
// distinguish them. A stack that is already served stays, unless a stack without source.paths has the name. So no
// commit can replace it.
func uniqueFolders(stacks []Stack, served func(*Stack) bool) (unique []Stack, problems manifest.Problems) {
	by := map[string][]*Stack{}
	for i := range stacks {
		by[stacks[i].Name] = append(by[stacks[i].Name], &stacks[i])
	}
	for i := range stacks {
		s := &stacks[i]
		same := by[s.Name]
		if s.of == "" || len(same) == 1 || served(s) && !slices.ContainsFunc(same, func(o *Stack) bool { return o.of == "" }) {
			unique = append(unique, *s)
			continue
		}
		other := same[0]
		if other == s {
			other = same[1]
		}
		where := "the stack at " + other.Origin.String()
		if other.of != "" {
			where = "the folder " + other.Spec.Source.Path
		}
		problems = append(problems, s.folderProblem(fmt.Sprintf("would have the same stack name, %s, as %s", s.Name, where), "rename one of the two"))
	}
	return unique, problems
}

// dependOnFolders replaces a dependency on a document by dependencies on all stacks that were made from it.
func (s *Stack) dependOnFolders(made map[string][]string) {
	var on []string
	for _, name := range s.Spec.DependsOn {
		if names, perFolder := made[name]; perFolder {
			on = append(on, names...)
		} else {
			on = append(on, name)
		}
	}
	slices.Sort(on)
	s.Spec.DependsOn = slices.Compact(on)
}
