"""Tandem: a self-hosted work board for people and AI agents."""

PRODUCT = "Tandem"
VERSION = "0.2.0"
