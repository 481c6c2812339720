"""Tests; they mirror the house."""
