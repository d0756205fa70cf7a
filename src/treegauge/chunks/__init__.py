"""CHAOS."""
