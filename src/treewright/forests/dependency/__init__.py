"""Dependency trees as forests."""
