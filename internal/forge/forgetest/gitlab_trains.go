package forgetest

// Train adds a merge request to a merge train. GitLab merges it into the commit on, which is the target or the previous merge request
// of the train, and runs a pipeline for the result. Train returns the merged commit and the number of the pipeline.
func (g *GitLab) Train(number int, on string) (commit string, pipeline int64) {
	g.t.Helper()
	g.mu.Lock()
	m := g.merge(number)
	g.mu.Unlock()
	commit = g.git("commit-tree", "-p", on, "-p", m.head, "-m", "Merge "+m.title, g.tree(on, m.head))
	ref := "refs/merge-requests/" + itoa(number) + "/train"
	g.git("update-ref", ref, commit)
	return commit, g.RunPipeline(commit, ref, "merge_request_event")
}

// Arrive removes a merge request from the train and merges it: the target is moved to the merged commit.
func (g *GitLab) Arrive(number int) (commit string) {
	g.t.Helper()
	commit = g.git("rev-parse", "refs/merge-requests/"+itoa(number)+"/train")
	g.mu.Lock()
	m := g.merge(number)
	g.mu.Unlock()
	tip := g.git("rev-parse", "refs/heads/"+m.target)
	g.git("update-ref", "refs/heads/"+m.target, commit)
	g.git("update-ref", "-d", "refs/merge-requests/"+itoa(number)+"/train")
	g.mu.Lock()
	defer g.mu.Unlock()
	m.state, m.onto, m.merge, m.updated = "merged", tip, commit, g.tick()
	g.notifyPush(m.target, tip, commit)
	g.notifyMerge(m, "merge")
	return commit
}
