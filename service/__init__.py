"""Tandem: a self-hosted work board for people and machine agents."""

PRODUCT = "Tandem"
VERSION = "0.1.0"
