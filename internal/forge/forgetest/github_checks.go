package forgetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"
)

// checkRun accepts check runs only from the App. It adds new annotations to the existing ones of a
// run, because emulate would replace them.
func (g *GitHub) checkRun(r *http.Request, body []byte) reply {
	if login, _ := g.who(token(r)); login != AppLogin {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var asked struct {
		Output struct {
			Summary, Text string
			Annotations   []object
		}
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	for _, text := range []string{asked.Output.Summary, asked.Output.Text} {
		if n := utf8.RuneCountInString(text); n > 65_535 {
			return refuse(http.StatusUnprocessableEntity, fmt.Sprintf("Invalid request.\n\nOnly 65535 characters are allowed; %d were supplied.", n))
		}
	}
	if n := len(asked.Output.Annotations); n > 50 {
		return refuse(http.StatusUnprocessableEntity, fmt.Sprintf("Invalid request.\n\nNo more than 50 items are allowed; %d were supplied.", n))
	}
	return g.change(g.pass(r, body), func(run object) {
		g.mu.Lock()
		defer g.mu.Unlock()
		id, _ := run["id"].(float64)
		known := g.runs[int64(id)]
		if known == nil {
			known = &CheckRun{ID: int64(id), Commit: text(run["head_sha"])}
			g.runs[known.ID] = known
		}
		known.Annotations = append(known.Annotations, asked.Output.Annotations...)
		if output, ok := run["output"].(object); ok {
			output["annotations_count"] = len(known.Annotations)
			known.Title, known.Summary, known.Text = text(output["title"]), text(output["summary"]), text(output["text"])
		}
		run["app"] = object{"id": githubAppID, "slug": "stackreeve", "name": "Stackreeve"}
		known.Name, known.Status, known.Conclusion, known.ExternalID = text(run["name"]), text(run["status"]), text(run["conclusion"]), text(run["external_id"])
		known.reported = run
	})
}

// checkRuns lists the check runs of a commit, newest first. emulate has no such list.
func (g *GitHub) checkRuns(r *http.Request, _ []byte) reply {
	query := r.URL.Query()
	all, seen := []object{}, map[string]bool{}
	for _, run := range slices.Backward(g.CheckRuns(r.PathValue("commit"))) {
		if name := query.Get("check_name"); name != "" && name != run.Name || query.Get("filter") != "all" && seen[run.Name] {
			continue
		}
		seen[run.Name] = true
		all = append(all, run.reported)
	}
	page, link := paged(r, all)
	a := say(http.StatusOK, object{"total_count": len(all), "check_runs": page})
	if link != "" {
		a.header.Set("Link", link)
	}
	return a
}

// CheckRun is a check run with the data that people see.
type CheckRun struct {
	ID                               int64
	Commit, Name, Status, Conclusion string
	Title, Summary, Text, ExternalID string
	Annotations                      []map[string]any

	reported object
}

// CheckRuns returns the check runs of a commit, oldest first.
func (g *GitHub) CheckRuns(commit string) []CheckRun {
	g.mu.Lock()
	defer g.mu.Unlock()
	var runs []CheckRun
	for _, id := range slices.Sorted(maps.Keys(g.runs)) {
		if run := g.runs[id]; run.Commit == commit {
			runs = append(runs, *run)
		}
	}
	return runs
}
