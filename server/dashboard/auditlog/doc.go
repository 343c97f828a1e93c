// Package auditlog serves the pages of the audit log.
package auditlog
