"""Importers of other suites' output, a file a format; registry.py knows them all."""
