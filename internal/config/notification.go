package config

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
)

// NotificationGVK is the kind of the rules for sending events to receivers.
var NotificationGVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Notification"}

// NotificationBody is a whole document, for the commands schema and explain.
type NotificationBody struct {
	Spec NotificationSpec `json:"spec" rule:"required" doc:"The receivers and their messages."`
}

// NotificationSpec is the content of a Notification document.
type NotificationSpec struct {
	Match NotificationMatch `json:"match,omitempty" doc:"Which messages are sent; warnings and errors of all stacks if left out."`
	To    Receivers         `json:"to" rule:"required" doc:"The receiver. Exactly one of the fields below must be set."`
}

// NotificationMatch selects the events that are sent.
type NotificationMatch struct {
	Stacks   []string `json:"stacks,omitempty" rule:"max=100,unique" doc:"Names of stacks, or patterns such as prod-*."`
	Kinds    []string `json:"kinds,omitempty" rule:"max=100,unique" doc:"Kinds of the objects that failed or drifted. With this field, only messages about objects are sent."`
	Severity string   `json:"severity,omitempty" rule:"enum=info|warning|error,default=warning" doc:"The lowest severity that is sent. error: a pass failed, or a commit is refused. warning: a plan is held, or there is drift. info: a commit is in sync."`
}

// Receivers are the possible receivers of a notification.
type Receivers struct {
	Webhook   *Webhook     `json:"webhook,omitempty" doc:"A program that receives CloudEvents."`
	Slack     *ChatWebhook `json:"slack,omitempty" doc:"An incoming webhook of Slack, Mattermost or Rocket.Chat."`
	Teams     *ChatWebhook `json:"teams,omitempty" doc:"A workflow of Microsoft Teams that posts the messages that its webhook receives."`
	PagerDuty *PagerDuty   `json:"pagerDuty,omitempty" doc:"A service of PagerDuty. There is at most one open incident for each stack. The agent resolves it when the stack is in sync again."`
	Matrix    *Matrix      `json:"matrix,omitempty" doc:"A room of Matrix."`
	Email     *Email       `json:"email,omitempty" doc:"E-mail. Each notification is a message, and messages about one stack are in one thread."`
}

// Webhook receives CloudEvents.
type Webhook struct {
	URL       string `json:"url" rule:"required,min=1" doc:"Address to which events are posted."`
	TokenFile string `json:"tokenFile,omitempty" doc:"File with a token, which is sent with the events as Authorization: Bearer."`
}

// ChatWebhook is a webhook whose address is a secret.
type ChatWebhook struct {
	URLFile string `json:"urlFile" rule:"required,min=1" doc:"File with the webhook's address, which is a secret."`
}

// PagerDuty receives events of its Events API v2.
type PagerDuty struct {
	URL            string `json:"url,omitempty" rule:"default=https://events.pagerduty.com/v2/enqueue" doc:"Address of the Events API v2."`
	RoutingKeyFile string `json:"routingKeyFile" rule:"required,min=1" doc:"File with the integration key of the service."`
}

// Matrix is a room of Matrix.
type Matrix struct {
	URL       string `json:"url" rule:"required,min=1" doc:"The home server."`
	Room      string `json:"room" rule:"required,min=2,max=255" doc:"The room's ID, such as !abc:example.com. The user of the token has to be in it."`
	TokenFile string `json:"tokenFile" rule:"required,min=1" doc:"File with an access token."`
}

// Email is an e-mail, and the mail server that sends it.
type Email struct {
	URL          string   `json:"url" rule:"required,min=1" doc:"The mail server: smtps://HOST for TLS (port 465), or smtp://HOST for STARTTLS (port 587). The server has to offer STARTTLS, unless it is on this machine."`
	From         string   `json:"from" rule:"required,min=3,max=320" doc:"Sender."`
	To           []string `json:"to" rule:"required,min=1,max=50,unique" doc:"Receivers."`
	Username     string   `json:"username,omitempty" rule:"max=320" doc:"User for the login (AUTH PLAIN); no login if left out."`
	PasswordFile string   `json:"passwordFile,omitempty" doc:"File with the password of username."`
	CAFile       string   `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
}

const pagerDutyURL = "https://events.pagerduty.com/v2/enqueue"

// namedFiles returns the fields of the given receivers that name files.
func (r *Receivers) namedFiles() (list []namedFile) {
	secret := func(field string, path *string) {
		list = append(list, namedFile{field: "spec.to." + field, path: path, secret: true})
	}
	if w := r.Webhook; w != nil {
		secret("webhook.tokenFile", &w.TokenFile)
	}
	if w := r.Slack; w != nil {
		secret("slack.urlFile", &w.URLFile)
	}
	if w := r.Teams; w != nil {
		secret("teams.urlFile", &w.URLFile)
	}
	if p := r.PagerDuty; p != nil {
		secret("pagerDuty.routingKeyFile", &p.RoutingKeyFile)
	}
	if m := r.Matrix; m != nil {
		secret("matrix.tokenFile", &m.TokenFile)
	}
	if m := r.Email; m != nil {
		secret("email.passwordFile", &m.PasswordFile)
		list = append(list, namedFile{field: "spec.to.email.caFile", path: &m.CAFile})
	}
	return list
}

// receivers returns the given receivers, and the fields that contain their addresses.
func (r *Receivers) receivers() (list []notify.Receiver, fields []string) {
	add := func(field string, to notify.Receiver) { list, fields = append(list, to), append(fields, field) }
	if w := r.Webhook; w != nil {
		add("webhook.url", notify.Receiver{Format: notify.CloudEvents, URL: w.URL, TokenFile: w.TokenFile})
	}
	if w := r.Slack; w != nil {
		add("slack.urlFile", notify.Receiver{Format: notify.Slack, URLFile: w.URLFile})
	}
	if w := r.Teams; w != nil {
		add("teams.urlFile", notify.Receiver{Format: notify.Teams, URLFile: w.URLFile})
	}
	if p := r.PagerDuty; p != nil {
		to := notify.Receiver{Format: notify.PagerDuty, URL: p.URL, TokenFile: p.RoutingKeyFile}
		if to.URL == "" {
			to.URL = pagerDutyURL
		}
		add("pagerDuty.url", to)
	}
	if m := r.Matrix; m != nil {
		add("matrix.url", notify.Receiver{Format: notify.Matrix, URL: m.URL, TokenFile: m.TokenFile, Room: m.Room})
	}
	if m := r.Email; m != nil {
		mail := &notify.Mail{From: m.From, To: m.To, Username: m.Username, CAFile: m.CAFile}
		add("email.url", notify.Receiver{Format: notify.Email, URL: m.URL, TokenFile: m.PasswordFile, Mail: mail})
	}
	return list, fields
}

// decodeNotification decodes a Notification document of a file in a folder.
func decodeNotification(obj *manifest.Object, folder string) (notify.Rule, []namedFile, []manifest.Problem) {
	var body NotificationBody
	problems := obj.Decode(&body)
	files := below(folder, body.Spec.To.namedFiles())
	add := func(field, what string) {
		problems = append(problems, manifest.Problem{Origin: obj.Where(field), Key: obj.Key, Field: field, What: what})
	}
	m := body.Spec.Match
	rule := notify.Rule{Name: obj.Key.Name, Origin: obj.Origin, Stacks: m.Stacks, Kinds: m.Kinds, Least: notify.ParseSeverity(m.Severity)}
	for i, pattern := range m.Stacks {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			add(fmt.Sprintf("spec.match.stacks[%d]", i), fmt.Sprintf("%q is not a pattern; write a name, or a pattern such as prod-*", pattern))
		}
	}
	list, fields := body.Spec.To.receivers()
	if len(list) != 1 && len(problems) == 0 {
		add("spec.to", fmt.Sprintf("names %d receivers; name one, and write a document for each", len(list)))
		return rule, files, problems
	}
	for i, to := range list {
		if rule.To = to; to.Mail == nil {
			checkAddress(add, "spec.to."+fields[i], to.URL)
			continue
		}
		body.Spec.To.Email.check(add, *to.Mail)
	}
	return rule, files, problems
}

func (m *Email) check(add func(field, what string), mail notify.Mail) {
	wrong := notify.CheckMail(m.URL, mail)
	for _, field := range slices.Sorted(maps.Keys(wrong)) {
		add("spec.to.email."+field, wrong[field])
	}
	if (m.Username == "") != (m.PasswordFile == "") {
		add("spec.to.email.username", "and passwordFile go together; give both or none")
	}
}

// notificationsTwice reports rules with the same name.
func notificationsTwice(rules []notify.Rule) (problems manifest.Problems) {
	for i, r := range rules {
		same := slices.IndexFunc(rules[:i], func(o notify.Rule) bool { return o.Name == r.Name })
		if same >= 0 {
			problems = append(problems, manifest.Problem{Origin: r.Origin, Field: "metadata.name",
				What: fmt.Sprintf("the notification %s is also configured at %s", r.Name, rules[same].Origin), Fix: "rename or remove one of the two"})
		}
	}
	return problems
}

// Notifications returns the rules for notifications. They are the same for all stacks.
func (s *Stack) Notifications() []notify.Rule { return s.notifications }
