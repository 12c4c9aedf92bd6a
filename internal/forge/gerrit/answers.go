package gerrit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// number is an ID. A value of another type becomes 0, which is nobody's ID.
type number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(raw []byte) error {
	value, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		value = 0
	}
	*n = number(value)
	return nil
}

// text is a string. Any other value becomes "".
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

// moment is a time; an invalid value becomes the zero time. Gerrit writes times in UTC, without a
// time zone.
type moment struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *moment) UnmarshalJSON(raw []byte) error {
	var value string
	m.Time = time.Time{}
	if json.Unmarshal(raw, &value) == nil {
		if at, err := time.Parse("2006-01-02 15:04:05.999999999", value); err == nil {
			m.Time = at
		}
	}
	return nil
}

// account is AccountInfo in Gerrit's description of its API, with details.
type account struct {
	ID       number `json:"_account_id"`
	Username text   `json:"username"`
	Name     text   `json:"name"`
	Tags     []text `json:"tags"`
}

// login returns the name of an account that is shown to people.
func (a account) login() string {
	return string(cmp.Or(a.Username, a.Name, text(fmt.Sprint("account ", int64(a.ID)))))
}

// change is ChangeInfo.
type change struct {
	Number          number              `json:"_number"`
	Project         text                `json:"project"`
	Branch          text                `json:"branch"`
	Subject         text                `json:"subject"`
	Status          text                `json:"status"` // NEW, MERGED or ABANDONED
	Owner           account             `json:"owner"`
	Updated         moment              `json:"updated"`
	CurrentRevision text                `json:"current_revision"`
	Revisions       map[string]revision `json:"revisions"`
	Messages        []message           `json:"messages"`
	ID              text                `json:"change_id"`
	Topic           text                `json:"topic"`
	Private         bool                `json:"is_private"`
	More            bool                `json:"_more_changes"`
}

// revision is RevisionInfo, which people call a patch set. If somebody uploads it in the name of
// another account, Uploader is that other account, and RealUploader is the account that has
// uploaded it.
type revision struct {
	Number       number   `json:"_number"`
	Uploader     account  `json:"uploader"`
	RealUploader *account `json:"real_uploader"`
	Commit       commit   `json:"commit"`
}

// commit is CommitInfo.
type commit struct {
	Parents []struct {
		Commit text `json:"commit"`
	} `json:"parents"`
	DependsOn names `json:"message"`
}

// names are the changes in the lines Depends-On of a commit message. The other lines are dropped,
// because there can be many.
type names []string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *names) UnmarshalJSON(raw []byte) error {
	var message text
	_ = message.UnmarshalJSON(raw) // this method of text never fails
	*n = forge.DependsOn(string(message))
	return nil
}

// message is ChangeMessageInfo.
type message struct {
	ID         text     `json:"id"`
	Author     account  `json:"author"`
	RealAuthor *account `json:"real_author"`
	Date       moment   `json:"date"`
	Message    text     `json:"message"`
	Tag        text     `json:"tag"`
	Revision   number   `json:"_revision_number"`
}

// remark is CommentInfo. Only remarks on the whole patch set are used.
type remark struct {
	MessageID text    `json:"change_message_id"`
	Author    account `json:"author"`
	Message   text    `json:"message"`
}

// review is ReviewInput.
type review struct {
	Message           string         `json:"message"`
	Tag               string         `json:"tag"`
	Labels            map[string]int `json:"labels,omitempty"`
	Notify            string         `json:"notify"`
	IgnoreAttentionOf bool           `json:"ignore_automatic_attention_set_rules"`
}
