package gormmodel

import "testing"

// TestNames has names whose tables and columns GORM's documentation shows, or
// that its rules for capitals are about.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, column, table string }{
		{"User", "user", "users"},
		{"CreditCard", "credit_card", "credit_cards"},
		{"ID", "id", "ids"},
		{"UserID", "user_id", "user_ids"},
		{"AppId", "app_id", "app_ids"},
		{"MemberNumber", "member_number", "member_numbers"},
		{"HTTPServer", "http_server", "http_servers"},
		{"APIKey", "api_key", "api_keys"},
		{"UserAPI", "user_api", "user_apis"},
		{"OAuth2Token", "o_auth2_token", "o_auth2_tokens"},
		{"SHA256Hash", "sha256_hash", "sha256_hashes"},
		{"Address1", "address1", "address1"},
		{"Person", "person", "people"},
		{"Category", "category", "categories"},
		{"Status", "status", "statuses"},
		{"Money", "money", "money"},
		{"Equipment", "equipment", "equipment"},
		{"A", "a", "as"},
		{"Already_Split", "already_split", "already_splits"},
	} {
		var n Naming
		if got := n.Column(c.name); got != c.column {
			t.Errorf("column of %s: %s, want %s", c.name, got, c.column)
		}
		if got := n.Table(c.name); got != c.table {
			t.Errorf("table of %s: %s, want %s", c.name, got, c.table)
		}
	}
	n := Naming{TablePrefix: "t_", SingularTable: true}
	if got := n.Table("CreditCard"); got != "t_credit_card" {
		t.Errorf("with a prefix, and singular: %s", got)
	}
}
