"""The smallest complete kind of model, for tests."""
