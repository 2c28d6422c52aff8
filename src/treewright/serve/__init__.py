"""The server: analyses over HTTP, by a pool of processes that share the models (docs/serve.md)."""
