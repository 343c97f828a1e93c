// Package llm calls language model servers. An Embedder turns texts into vectors that point in similar directions for
// texts of similar meaning. A Chat gives tasks to a model, which replies with JSON of a given schema.
//
// It works with every server that offers OpenAI's POST /v1/embeddings and POST /v1/chat/completions: OpenAI, Azure,
// gateways, Ollama, vLLM, llama.cpp, LM Studio, text-embeddings-inference. Such a server may be slow, busy or down, and
// may return nonsense. The package limits the damage with deadlines, retries, a circuit breaker, and limits on
// concurrent calls, bytes and tokens. It checks every reply. Its errors separate temporary failures (ErrUnavailable,
// ErrTimeout) from wrong settings (ErrConfiguration) and from tasks that the model failed to do (ErrReply).
//
// The data of a task may be hostile. It is sent without invisible characters, between delimiters that nobody can guess.
// The model has no tools, and its reply must fit the schema. A reply is still not to be trusted: callers decide what it
// may change.
//
// Packages below this one have the tasks: interviewer writes questions and marks answers, and skilljudge classifies
// words that the taxonomy doesn't know. Their prompts are files in prompts/, for people to review.
//
// Callers decide what to do without vectors or replies, and how to store and compare vectors. Package llmtest provides
// a server for tests.
package llm
