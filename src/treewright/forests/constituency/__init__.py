"""Constituency charts as forests."""
