"""The server: analyses over HTTP, computed by worker processes (docs/serve.md)."""
