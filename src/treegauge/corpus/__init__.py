"""From text to trees and back: CoNLL-U becomes columns, with checks; its bytes stay the same."""
