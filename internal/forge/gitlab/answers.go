package gitlab

import (
	"encoding/json"
	"strconv"
	"time"
)

// number is an ID. A value of another type becomes 0, which is nobody's ID.
type number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		value = 0
	}
	*n = number(value)
	return nil
}

// text is a string. Any other value becomes "": versions of GitLab differ in the fields that they
// leave out.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *text) UnmarshalJSON(raw []byte) error {
	var value string
	if json.Unmarshal(raw, &value) != nil {
		value = ""
	}
	*s = text(value)
	return nil
}

// flag is true or false; any other value becomes false.
type flag bool

// UnmarshalJSON implements [json.Unmarshaler].
func (f *flag) UnmarshalJSON(raw []byte) error {
	*f = string(raw) == "true"
	return nil
}

// moment is a time; an invalid value becomes the zero time.
type moment struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *moment) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &m.Time) != nil {
		m.Time = time.Time{}
	}
	return nil
}

// user is UserBasic in GitLab's description of its API.
type user struct {
	ID       number `json:"id"`
	Username text   `json:"username"`
}

// mergeRequest is MergeRequestBasic.
type mergeRequest struct {
	IID             number `json:"iid"`
	Title           text   `json:"title"`
	WebURL          text   `json:"web_url"`
	State           text   `json:"state"` // opened, closed, locked, merged
	Author          user   `json:"author"`
	SourceBranch    text   `json:"source_branch"`
	TargetBranch    text   `json:"target_branch"`
	SourceProjectID number `json:"source_project_id"`
	TargetProjectID number `json:"target_project_id"`
	SHA             text   `json:"sha"`
	MergeCommitSHA  text   `json:"merge_commit_sha"`
	SquashCommitSHA text   `json:"squash_commit_sha"`
	UpdatedAt       moment `json:"updated_at"`
}

// note is Note.
type note struct {
	ID           number `json:"id"`
	Type         text   `json:"type"` // "" in the conversation, DiscussionNote in a thread of it, DiffNote on a line
	Body         text   `json:"body"`
	Author       user   `json:"author"`
	System       flag   `json:"system"`
	Internal     flag   `json:"internal"`
	Confidential flag   `json:"confidential"` // the name of internal before 15.5
	CreatedAt    moment `json:"created_at"`
	UpdatedAt    moment `json:"updated_at"`
}

// commitStatus is CommitStatus.
type commitStatus struct {
	ID          number `json:"id"`
	Status      text   `json:"status"`
	Name        text   `json:"name"`
	Description text   `json:"description"`
	TargetURL   text   `json:"target_url"`
	Author      user   `json:"author"`
}

// pipeline is PipelineBasic.
type pipeline struct {
	ID     number `json:"id"`
	SHA    text   `json:"sha"`
	Ref    text   `json:"ref"`
	Source text   `json:"source"`
}

// member is Member; branch is Branch.
type member struct {
	ID          number `json:"id"`
	State       text   `json:"state"`
	AccessLevel number `json:"access_level"`
}

type branch struct {
	Name               text `json:"name"`
	Protected          flag `json:"protected"`
	DevelopersCanPush  flag `json:"developers_can_push"`
	DevelopersCanMerge flag `json:"developers_can_merge"`
}
