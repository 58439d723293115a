"""A global that is only read, and nothing that could say so."""
global said_to_be_global
said_to_be_global.a
