package notify

import (
	"html"
	"strings"
	"time"
)

type object map[string]any

// text returns the whole notification in a few lines. The lines contain no markup, so text from manifests is not
// interpreted.
func (n Notification) text() string {
	text := n.Title()
	for _, more := range []string{n.Message, n.Link} {
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}

// cloudEvent returns a CloudEvent in structured mode (CloudEvents 1.0, section 3.1, and its JSON format).
func cloudEvent(n Notification) object {
	return object{
		"specversion": "1.0", "id": id(n), "source": "stackreeve/" + n.Stack, "type": "dev.stackreeve.stack." + strings.ReplaceAll(kindOf(n), " ", "-"),
		"subject": n.Stack, "time": n.At.Format(time.RFC3339Nano), "datacontenttype": "application/json",
		"data": object{
			"stack": n.Stack, "commit": n.Commit, "state": n.State, "before": n.Before, "severity": n.Severity.String(), "title": n.Title(), "message": n.Message,
			"kinds": n.Kinds, "objects": n.Objects, "link": n.Link,
		},
	}
}

// kindOf returns a word for the state.
func kindOf(n Notification) string {
	if n.State == healed {
		return "healed"
	}
	return n.State
}

// slack returns the body for incoming webhooks of Slack, Mattermost and Rocket.Chat. In Slack, three characters
// begin markup. The other two have Markdown and mentions. So untrusted text is in a code block, which the text
// cannot end.
func slack(n Notification) object {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'").Replace
	text := escape(n.Title())
	if n.Message != "" {
		text += "\n```\n" + escape(n.Message) + "\n```"
	}
	if n.Link != "" {
		text += "\n<" + escape(n.Link) + ">"
	}
	return object{"text": text}
}

// teams returns the body for a workflow of Teams: a message with an Adaptive Card.
func teams(n Notification) object {
	color := map[Severity]string{Error: "attention", Warning: "warning", Info: "good"}[n.Severity]
	plain := func(text string, more object) object {
		block := object{"type": "RichTextBlock", "inlines": []object{{"type": "TextRun", "text": text}}}
		for name, value := range more {
			block["inlines"].([]object)[0][name] = value
		}
		return block
	}
	body := []object{plain(n.Title(), object{"weight": "bolder", "color": color})}
	if n.Message != "" {
		body = append(body, plain(n.Message, nil))
	}
	card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
	if n.Link != "" {
		card["actions"] = []object{{"type": "Action.OpenUrl", "title": "Show", "url": n.Link}}
	}
	return object{"type": "message", "attachments": []object{{
		"contentType": "application/vnd.microsoft.card.adaptive",
		"content":     card,
	}}}
}

// pagerDuty returns an event of PagerDuty's Events API v2. A stack has one incident, which ends when the stack
// is in sync. The end of an incident that does not exist has no effect.
func pagerDuty(n Notification, key string) object {
	event := object{"routing_key": key, "dedup_key": "stackreeve/" + n.Stack, "event_action": "trigger"}
	if n.well() {
		event["event_action"] = "resolve"
		return event
	}
	event["payload"] = object{
		"summary": n.Title(), "source": "stackreeve/" + n.Stack, "severity": n.Severity.String(), "timestamp": n.At.Format(time.RFC3339Nano),
		"component": n.Stack, "custom_details": object{"message": n.Message, "commit": n.Commit, "kinds": n.Kinds, "objects": n.Objects},
	}
	if n.Link != "" {
		event["links"] = []object{{"href": n.Link, "text": "Show"}}
	}
	return event
}

// matrix returns a notice in a room (client-server API, m.room.message).
func matrix(n Notification) object {
	lines := strings.Split(html.EscapeString(n.text()), "\n")
	lines[0] = "<strong>" + lines[0] + "</strong>"
	return object{"msgtype": "m.notice", "body": n.text(), "format": "org.matrix.custom.html", "formatted_body": strings.Join(lines, "<br>"), "m.mentions": object{}}
}
