//go:build !integration

package integration

func engines() []searchEngine { return []searchEngine{embeddedEngine()} }
