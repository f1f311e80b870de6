"""NVUE trees: strict check, lowering between dialects, normal form, texts, differences."""
