// Package apikeys serves the pages about API keys and what remains of their quotas.
package apikeys
