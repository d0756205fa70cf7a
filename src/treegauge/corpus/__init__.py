"""Text to trees and back: CoNLL-U into columns, byte-exact, with checks."""
