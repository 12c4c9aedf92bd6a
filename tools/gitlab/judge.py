"""Have python-gitlab use a GitLab: judge.py URL TOKEN PROJECT MERGE_REQUEST COMMIT BRANCH."""
import json
import sys

import gitlab

url, token, path, iid, sha, branch = sys.argv[1:]
api = gitlab.Gitlab(url, private_token=token, retry_transient_errors=False)
api.auth()
found = {"user": api.user.username, "version": api.version()[0]}
project = api.projects.get(path)
found["project"] = project.path_with_namespace
found["open"] = [m.iid for m in project.mergerequests.list(state="opened", target_branch=branch, order_by="updated_at", sort="asc", iterator=True)]
merge = project.mergerequests.get(int(iid))
found["head"] = merge.sha

note = merge.notes.create({"body": "hello"})
note.body = "hello again"
note.save()
found["notes"] = [n.body for n in merge.notes.list(get_all=True)]
found["note"] = merge.notes.get(note.id).body
note.delete()
found["left"] = len(merge.notes.list(get_all=True))
for number in range(45):
    merge.notes.create({"body": f"note {number}"})
found["pages"] = len(merge.notes.list(per_page=20, get_all=True))
found["discussions"] = len(merge.discussions.list(get_all=True))

commit = project.commits.get(sha)
commit.statuses.create({"state": "success", "name": "stackreeve/prod/plan", "description": "2 to create", "ref": "topic"})
found["statuses"] = [(s.name, s.status, s.author["username"]) for s in commit.statuses.list(get_all=True)]
found["pipelines"] = [p.sha for p in project.pipelines.list(sha=sha, get_all=True)]
found["level"] = project.members_all.get(api.user.id).access_level
found["protected"] = project.branches.get(branch).protected
found["touched"] = [c.id for c in project.commits.list(query_parameters={"ref_name": "topic", "path": "a.yaml", "per_page": 1}, get_all=False)]
found["merged by"] = [m["iid"] for m in commit.merge_requests()]
found["approved"] = [a["user"]["username"] for a in merge.approvals.get().approved_by]
try:
    project.mergerequests.get(99)
except gitlab.exceptions.GitlabGetError as error:
    found["missing"] = error.response_code
try:
    gitlab.Gitlab(url, private_token="wrong").auth()
except gitlab.exceptions.GitlabAuthenticationError as error:
    found["wrong token"] = error.response_code
json.dump(found, sys.stdout)
