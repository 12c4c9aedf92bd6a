package document

import "testing"

func TestOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0/0": "0.0.0.0/0", "1.2.3.4/0": "0.0.0.0/0", "::/0": "::/0", "0::0/0": "::/0", "2001:DB8::1/32": "2001:db8::/32", "10.1.2.3/8": "10.0.0.0/8",
		"2001:0db8:0:0::1": "2001:db8::1", "a text": "a text", "10.0.0.0/33": "10.0.0.0/33",
	} {
		tree := oneSpelling(map[string]any{"list": []any{text}}).(map[string]any)["list"].([]any)[0]
		if tree != want {
			t.Errorf("%s is %v", text, tree)
		}
	}
}
