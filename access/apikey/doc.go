// Package apikey makes, reads and checks API keys. A key names its plan by its prefix, carries a checksum, and is kept
// as a SHA-256 only: the text is shown once, when the key is made. Requests are counted in package quota, and last uses are
// recorded by package usage.
//
//	token, key, err := service.Create(ctx, by, apikey.Request{Name: "Acme", Plan: "professional"})
//	key, err = service.Authenticate(ctx, token)
package apikey
