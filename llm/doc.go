// Package llm asks language model servers. So far it asks for vectors: an Embedder turns short texts into directions in
// a space where texts of like meaning lie close together.
//
// It speaks to any server with OpenAI's POST /v1/embeddings: OpenAI and Azure, gateways, Ollama, vLLM, llama.cpp,
// LM Studio, text-embeddings-inference. Such a server is slow, busy or gone at times, and may answer nonsense. The package
// bounds what that costs (deadlines, tries, parallel calls, bytes; a server that keeps failing is left alone for a while),
// checks every answer, and tells apart what passes (ErrUnavailable) from what somebody has to set right (ErrConfiguration).
//
// It does not say what to do without vectors, and neither rounds nor compares them. Package llmtest is a server for tests.
package llm
