// Package webhooks serves the pages about an account's webhook endpoints and their deliveries.
package webhooks
