package mysql

import (
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Setenv(passwordVariable, "fr0m env")
	for address, want := range map[string]string{
		"mysql://reader:s3cret@db.example.com/crm":                     "mysql://db.example.com:3306/crm s3cret true",
		"mariadb://reader@db:3307/crm?ssl-mode=disabled":               "mysql://db:3307/crm fr0m env false",
		"mysql://reader@127.0.0.1/crm?time_zone=%2B02:00":              "mysql://127.0.0.1:3306/crm fr0m env false",
		"mysql://reader@[::1]/crm":                                     "mysql://[::1]:3306/crm fr0m env false",
		"mysql://reader@/crm?socket=/run/x.sock":                       "mysql:///crm?socket=/run/x.sock fr0m env false",
		"mysql://reader@db/crm?ssl-mode=REQUIRED&time_zone=Asia/Tokyo": "mysql://db:3306/crm fr0m env skip-verify",
		"mysql://localhost/crm?ssl-mode=VERIFY_IDENTITY":               "mysql://localhost:3306/crm fr0m env true",
	} {
		d, err := ParseURL(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got := d.String() + " " + d.config.Passwd + " " + d.config.TLSConfig; got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}

	for address, want := range map[string]string{
		"mysql://u:s3cret@db":                          "must be like mysql://",
		"mysql://u:s3cret@db/a/b":                      "must be like mysql://",
		"mysql:///crm":                                 "must be like mysql://",
		"mysql://u:s3cret@db:x/crm":                    "must be like mysql://",
		"postgres://u:s3cret@db/crm":                   "must be like mysql://",
		"mysql://u:s3cret@db/crm?multiStatements=true": "unknown or repeated",
		"mysql://u:s3cret@db/crm?ssl-mode=PREFERRED":   "must be VERIFY_IDENTITY",
		"mysql://u:s3cret@db/crm?ssl-ca=/none.pem":     "ssl-ca",
		"mysql://u:s3cret@db/crm?time_zone=%27;DROP":   "must be like mysql://",
		"mysql://u:s3cret@db/crm?time_zone=%27%3BDROP": "must be an offset",
	} {
		if _, err := ParseURL(address); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("mysql://u:p@db:3306/crm?time_zone=%2B00:00&ssl-mode=DISABLED")
	f.Add("mysql://u@/crm?socket=/run/mysqld.sock")
	f.Fuzz(func(t *testing.T, address string) {
		d, err := ParseURL(address)
		if err != nil {
			return
		}
		// The zone becomes part of a statement.
		if strings.ContainsAny(d.zone, `'"\;`) {
			t.Errorf("zone %q", d.zone)
		}
	})
}
