package config

import (
	"errors"
	"strings"
	"testing"
)

func document(name, paths string) Stack {
	return Stack{Name: name, Spec: Spec{Cloud: "c-{folder}", Source: Source{URL: "repo", Paths: paths}}}
}

func listed(folders ...string) func(*Stack, string, string) ([]string, error) {
	return func(*Stack, string, string) ([]string, error) { return folders, nil }
}

func names(stacks []Stack) string {
	var all []string
	for _, s := range stacks {
		all = append(all, s.Name)
	}
	return strings.Join(all, " ")
}

func TestAStackForEachFolder(t *testing.T) {
	users := Stack{Name: "users", Spec: Spec{DependsOn: []string{"prod"}}}
	stacks, problems, unlisted := InFolders([]Stack{document("prod", "clouds/*/*"), users}, false, nobody, listed("eu/a", "us/b"))
	if len(unlisted) > 0 || len(problems) > 0 || names(stacks) != "prod-eu-a prod-us-b users" {
		t.Fatalf("got %s, %v, %v", names(stacks), problems, unlisted)
	}
	if s := stacks[0]; s.Spec.Source.Path != "clouds/eu/a" || s.PerFolder() || s.Of() != "prod" || s.Spec.Cloud != "c-eu-a" {
		t.Errorf("got %+v", s)
	}
	if on := strings.Join(stacks[2].Spec.DependsOn, " "); on != "prod-eu-a prod-us-b" {
		t.Errorf("users depends on %s", on)
	}
}

// TestAttackFolderNames uses folders with invalid names. They do not affect the other stacks.
func TestAttackFolderNames(t *testing.T) {
	long := strings.Repeat("x", 200)
	other := Stack{Name: "prod-taken"}
	stacks, problems, unlisted := InFolders([]Stack{document("prod", "*"), other}, false, nobody,
		listed("good", "Upper", "a b", "tab\t", "new\nline", "ünicode", "-", "end-", "a..b", "..", long, "$(reboot)", "taken"))
	if len(unlisted) > 0 || names(stacks) != "prod-good prod-taken" || len(problems) != 12 {
		t.Fatalf("got %s, %d problems, %v: %v", names(stacks), len(problems), unlisted, problems)
	}
	if text := problems.Error(); !strings.Contains(text, "the folder taken: would have the same stack name, prod-taken, as the stack at") || !strings.Contains(text, "rename the folder") {
		t.Errorf("got %s", text)
	}
}

func TestAttackTwoFoldersOfOneName(t *testing.T) {
	stacks, problems, _ := InFolders([]Stack{document("prod", "*/*")}, false, nobody, listed("a-b/c", "a/b-c", "d/e"))
	if names(stacks) != "prod-d-e" || len(problems) != 2 {
		t.Fatalf("got %s, %v", names(stacks), problems)
	}
	if text := problems.Error(); !strings.Contains(text, "the folder a-b/c: would have the same stack name, prod-a-b-c, as the folder a/b-c") {
		t.Errorf("got %s", text)
	}
}

func TestOneStackOfAFolder(t *testing.T) {
	one := document("prod", "clouds/*")
	one.only = "prod-eu"
	stacks, problems, _ := InFolders([]Stack{one}, false, nobody, listed("eu", "us", "Wrong"))
	if names(stacks) != "prod-eu" || len(problems) > 0 {
		t.Errorf("got %s, %v", names(stacks), problems)
	}
	if stacks, problems, _ = InFolders([]Stack{one}, false, nobody, listed("us")); len(stacks) > 0 || len(problems) != 1 {
		t.Errorf("got %s, %v", names(stacks), problems)
	}
	if stacks, _, _ = InFolders([]Stack{one}, true, nobody, listed("us")); len(stacks) != 1 || !stacks[0].Gone() || stacks[0].Spec.Source.Path != "clouds/eu" {
		t.Errorf("got %+v", stacks)
	}
}

// TestUnknownFoldersAreThoseOfOneDocument checks that a list of folders that is unknown does not count as empty,
// and affects only its own document.
func TestUnknownFoldersAreThoseOfOneDocument(t *testing.T) {
	down := errors.New("down")
	users := Stack{Name: "users", Spec: Spec{DependsOn: []string{"new", "prod"}}}
	list := func(s *Stack, _, _ string) ([]string, error) {
		switch s.Name {
		case "new":
			return nil, down
		case "prod":
			return []string{"eu"}, down // the folders that were known before
		}
		return []string{"a", "b"}, nil
	}
	stacks, problems, unlisted := InFolders([]Stack{document("new", "*"), document("prod", "*"), document("test", "*"), users}, false, nobody, list)
	if names(stacks) != "prod-eu test-a test-b users" || len(problems) > 0 {
		t.Fatalf("got %s, %v", names(stacks), problems)
	}
	if on := strings.Join(stacks[3].Spec.DependsOn, " "); on != "new prod-eu" {
		t.Errorf("users depends on %s", on)
	}
	if len(unlisted) != 2 || unlisted[0].Document.Name != "new" || unlisted[1].Document.Name != "prod" || !errors.Is(unlisted[0], down) {
		t.Errorf("unlisted: %v", unlisted)
	}
}

func nobody(*Stack) bool { return false }

// TestAServedStackStays uses folders of two documents that would have the same stack name. Only the one that is
// already served becomes a stack.
func TestAServedStackStays(t *testing.T) {
	for served, want := range map[string]string{"": "", "clouds/eu-test": "clouds/eu-test", "clouds/test": "clouds/test"} {
		stacks, problems, _ := InFolders([]Stack{document("prod", "clouds/*"), document("prod-eu", "clouds/*")}, false,
			func(s *Stack) bool { return s.Spec.Source.Path == served },
			func(d *Stack, _, _ string) ([]string, error) {
				return map[string][]string{"prod": {"eu-test"}, "prod-eu": {"test"}}[d.Name], nil
			})
		got := ""
		if len(stacks) == 1 {
			got = stacks[0].Spec.Source.Path
		}
		if got != want || len(problems) != 2-len(stacks) {
			t.Errorf("%q is served: %d stacks, %q; %v", served, len(stacks), got, problems)
		}
	}
}
