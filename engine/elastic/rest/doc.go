// Package rest sends requests to the REST API of an Elasticsearch cluster. It knows nodes, credentials, error answers
// and retries, but nothing about freelancers.
//
// Client.Do sends one request. Client.Ask does the same for searches, which a circuit breaker rejects at once while the
// cluster is down. Client.Retry repeats a request of an indexer until the cluster accepts it.
package rest
